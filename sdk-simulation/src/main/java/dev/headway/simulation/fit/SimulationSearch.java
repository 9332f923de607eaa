package dev.headway.simulation.fit;

import dev.headway.api.step.LatencyModel;
import dev.headway.simulation.regression.Feature;
import dev.headway.simulation.regression.Gram;
import dev.headway.simulation.regression.LeastSquares;
import dev.headway.simulation.regression.LeastSquares.Penalty;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.function.IntPredicate;

/**
 * Changes the numbers of a step until simulations have the measured latencies: least squares of the
 * {@link LatencyMoments} and of the distances from the priors, by Gauss-Newton steps over central
 * differences within a region that is trusted (Levenberg, Q. Appl. Math. 2(2), 1944; without
 * derivatives as in Cartis, Fiala, Marteau, Roberts, ACM TOMS 45(3), 2019), with bounds.
 * Deterministic. One thread.
 */
final class SimulationSearch {

  private static final int MOST_ROUNDS = 10;
  private static final int MOST_TRIES = 4;
  private static final double[] FIRST_SCALES = {0.7, 0.85, 1, 1.2, 1.5};
  private static final double FIRST_DAMPING = 0.1;
  private static final double LESS_DAMPING = 0.25;
  private static final double MORE_DAMPING = 6;
  private static final double FARTHEST_STEP = 2;
  private static final double LEAST_GAIN = 2e-3;
  private static final double LEAST_STEP = 0.02;

  /** Moments further off than this many errors count linearly (Huber). */
  private static final double FAR = 3;

  /** By this much the mean of a group is off with the right numbers: noise, and the model's own. */
  private static final double TTFT_ERROR = 0.06;

  private static final double TPOT_ERROR = 0.02;
  private static final double E2E_ERROR = 0.03;

  private final List<MeasuredRun> runs;
  private final StepNumbers numbers;
  private final LatencyMoments moments;
  private final IntConsumer onSimulated;
  private int simulations;
  private double[] found;
  private List<SimulatedLatencies> simulated;
  private List<Slope> slopes = List.of();

  /** Simulations with one number a little smaller and a little larger. */
  private record Slope(
      List<SimulatedLatencies> lower, List<SimulatedLatencies> higher, double difference) {}

  /**
   * Searches to the end.
   *
   * @param onSimulated gets how many simulations have been made
   */
  SimulationSearch(
      List<MeasuredRun> runs,
      StepNumbers numbers,
      LatencyMoments moments,
      IntConsumer onSimulated) {
    this.runs = runs;
    this.numbers = numbers;
    this.moments = moments;
    this.onSimulated = onSimulated;
    found = start();
    simulated = simulate(found);
    requireServed();
    search();
  }

  private List<SimulatedLatencies> simulate(double[] at) {
    final LatencyModel model = numbers.model(at, StepRange.NONE);
    final List<SimulatedLatencies> all = new ArrayList<>();
    for (MeasuredRun run : runs) {
      all.add(SimulatedLatencies.of(run, model));
      onSimulated.accept(++simulations);
    }
    return all;
  }

  private void requireServed() {
    for (double moment : moments.of(simulated, all())) {
      if (!Double.isNaN(moment)) {
        return;
      }
    }
    throw new IllegalArgumentException(
        "the limits must be those of the server: with these it refuses every measured request:"
            + " maxModelLen="
            + runs.getFirst().engine().config().limits().maxModelLen()
            + ", maxNumBatchedTokens="
            + runs.getFirst().engine().config().limits().maxNumBatchedTokens()
            + ", numBlocks="
            + runs.getFirst().engine().kvCache().numBlocks());
  }

  /** The priors, all operators faster or slower by what fits best. */
  private double[] start() {
    double[] best = new double[numbers.size()];
    double least = Double.POSITIVE_INFINITY;
    for (double scale : FIRST_SCALES) {
      final double[] at = new double[numbers.size()];
      for (int i = 0; i < at.length; i++) {
        if (numbers.isFactor(i)) {
          at[i] = bounded(i, Math.log(scale) / Math.log(numbers.value(i, 1) / numbers.value(i, 0)));
        }
      }
      final double loss = loss(at, simulate(at));
      if (loss < least) {
        least = loss;
        best = at;
      }
    }
    return best;
  }

  private double bounded(int number, double coordinate) {
    return Math.max(numbers.lowest(number), coordinate);
  }

  List<IntPredicate> all() {
    return runs.stream().map(run -> (IntPredicate) index -> true).toList();
  }

  private double error(int moment) {
    return switch (moments.metric(moment)) {
      case TTFT -> TTFT_ERROR;
      case TPOT -> TPOT_ERROR;
      case E2E -> E2E_ERROR;
    };
  }

  /** Squares up to a distance, lines beyond it (Huber), of moments; squares of the distances. */
  private double loss(double[] at, List<SimulatedLatencies> latencies) {
    double loss = 0;
    final double[] values = moments.of(latencies, all());
    for (int i = 0; i < values.length; i++) {
      if (!Double.isNaN(values[i])) {
        final double far = Math.abs(values[i]) / error(i);
        loss += far <= FAR ? far * far : FAR * (2 * far - FAR);
      }
    }
    for (double coordinate : at) {
      loss += coordinate * coordinate;
    }
    return loss;
  }

  private void search() {
    double loss = loss(found, simulated);
    double damping = FIRST_DAMPING;
    for (int round = 0; round < MOST_ROUNDS; round++) {
      slopes = slopes();
      final Gram rows = rows(all());
      boolean isBetter = false;
      double gain = 0;
      double length = 0;
      for (int attempt = 0; attempt < MOST_TRIES && !isBetter; attempt++) {
        final double[] next = found.clone();
        final double[] move = move(rows, damping);
        length = 0;
        for (int i = 0; i < next.length; i++) {
          next[i] = bounded(i, found[i] + move[i]);
          length = Math.max(length, Math.abs(next[i] - found[i]));
        }
        final List<SimulatedLatencies> latencies = simulate(next);
        final double nextLoss = loss(next, latencies);
        isBetter = nextLoss < loss;
        if (isBetter) {
          gain = (loss - nextLoss) / loss;
          found = next;
          simulated = latencies;
          loss = nextLoss;
          damping *= LESS_DAMPING;
        } else {
          damping *= MORE_DAMPING;
        }
      }
      if (!isBetter) {
        return; // the slopes are those of what was found
      }
      if (gain < LEAST_GAIN || length < LEAST_STEP) {
        break;
      }
    }
    slopes = slopes();
  }

  private List<Slope> slopes() {
    final List<Slope> result = new ArrayList<>();
    for (int i = 0; i < found.length; i++) {
      final double[] lower = found.clone();
      final double[] higher = found.clone();
      lower[i] = bounded(i, found[i] - numbers.step(i));
      higher[i] = found[i] + numbers.step(i);
      result.add(new Slope(simulate(lower), simulate(higher), higher[i] - lower[i]));
    }
    return result;
  }

  /** The linear problem around what was found: a row per moment, and one per distance. */
  Gram rows(List<IntPredicate> isCounted) {
    final double[] base = moments.of(simulated, isCounted);
    final double[][] slope = new double[found.length][];
    for (int j = 0; j < found.length; j++) {
      final double[] lower = moments.of(slopes.get(j).lower, isCounted);
      final double[] higher = moments.of(slopes.get(j).higher, isCounted);
      slope[j] = new double[base.length];
      for (int i = 0; i < base.length; i++) {
        slope[j][i] = (higher[i] - lower[i]) / slopes.get(j).difference;
      }
    }
    final Gram rows = new Gram(found.length);
    final double[] row = new double[found.length];
    for (int i = 0; i < base.length; i++) {
      boolean isKnown = !Double.isNaN(base[i]);
      for (int j = 0; j < row.length; j++) {
        row[j] = slope[j][i];
        isKnown &= !Double.isNaN(row[j]);
      }
      if (isKnown) {
        final double far = Math.abs(base[i]) / error(i);
        rows.add(row, -base[i], Math.min(1, FAR / Math.max(far, 1e-12)) / (error(i) * error(i)));
      }
    }
    for (int j = 0; j < found.length; j++) {
      rows.add(unit(j), -found[j], 1);
    }
    return rows;
  }

  private double[] unit(int column) {
    final double[] unit = new double[found.length];
    unit[column] = 1;
    return unit;
  }

  double[] move(Gram rows, double damping) {
    final Gram damped = new Gram(found.length);
    damped.add(rows);
    final Feature[] features = new Feature[found.length];
    for (int j = 0; j < found.length; j++) {
      damped.add(unit(j), 0, damping * rows.product(j, j));
      features[j] =
          new Feature(
              numbers.name(j),
              "",
              Math.min(0, Math.max(-FARTHEST_STEP, numbers.lowest(j) - found[j])),
              0);
    }
    final double[] move = LeastSquares.solve(damped, features, Penalty.NONE);
    for (int j = 0; j < move.length; j++) {
      move[j] = Math.min(FARTHEST_STEP, move[j]);
    }
    return move;
  }

  /** The coordinates that were found. */
  double[] found() {
    return found.clone();
  }

  /** Simulations that were made. */
  int simulations() {
    return simulations;
  }
}
