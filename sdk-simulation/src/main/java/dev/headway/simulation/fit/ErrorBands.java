package dev.headway.simulation.fit;

import dev.headway.api.step.StepFeatures;
import dev.headway.toolbox.stats.Quantile;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.DoubleStream;

/**
 * How far measured times are from predictions: of steps such as were fitted, by what they compute,
 * and of steps outside of them, which grows with the distance. Both come from steps that were left
 * out of the fit that predicts them ({@link Folds}), never from those that a fit has seen. Not to
 * be changed.
 */
public final class ErrorBands {

  /** Nothing is known. */
  static final ErrorBands UNKNOWN = new ErrorBands(Map.of(), ErrorBand.UNKNOWN, 1);

  private final Map<Regime, ErrorBand> inside;
  private final ErrorBand outside;
  private final double octaves;

  /**
   * Known bands.
   *
   * @param inside of what was fitted
   * @param outside of it, at {@code octaves}
   * @param octaves the distance that {@code outside} is of, > 0; see {@link StepRange#octaves}
   */
  ErrorBands(Map<Regime, ErrorBand> inside, ErrorBand outside, double octaves) {
    this.inside = Map.copyOf(inside);
    this.outside = outside;
    this.octaves = octaves;
  }

  /** From the rows of a fitter, left out in turn by time and as other loads. */
  static ErrorBands of(StepTimeFitter fitter) {
    final List<RunRows> rows = fitter.rows();
    final Errors errors = new Errors();
    errors.addAll(fitter, rows, Folds.ofTimes(rows), false);
    errors.addAll(fitter, rows, Folds.ofLoads(rows), true);
    final Map<Regime, ErrorBand> inside = new EnumMap<>(Regime.class);
    errors.inside.forEach((regime, all) -> inside.put(regime, ErrorBand.of(all.build().toArray())));
    inside.values().removeIf(band -> Double.isNaN(band.low()));
    final double[] distances = errors.distances.build().sorted().toArray();
    return new ErrorBands(
        inside,
        ErrorBand.of(errors.outside.build().toArray()),
        distances.length == 0 ? 1 : Quantile.upperMedian(distances));
  }

  /** Errors of predictions of steps that were left out. */
  private static final class Errors {

    final Map<Regime, DoubleStream.Builder> inside = new EnumMap<>(Regime.class);
    final DoubleStream.Builder outside = DoubleStream.builder();
    final DoubleStream.Builder distances = DoubleStream.builder();

    void addAll(StepTimeFitter fitter, List<RunRows> rows, Folds folds, boolean areOutside) {
      for (int fold = 0; fold < folds.count(); fold++) {
        final List<RunRows> others = folds.rows(rows, fold, false);
        final List<RunRows> own = folds.rows(rows, fold, true);
        if (!others.isEmpty() && !own.isEmpty()) {
          final FittedSteps fitted = fitter.fit(others);
          own.forEach(some -> add(fitted, some, areOutside));
        }
      }
    }

    private void add(FittedSteps fitted, RunRows rows, boolean areOutside) {
      final FittedStepTime model = fitted.on(rows.run());
      final StepFeatures step = new StepFeatures();
      for (int row : rows.rows()) {
        rows.run().steps().features(row, step);
        final double error = model.ns(step) / (double) rows.run().steps().stepNs(row) - 1;
        final double distance = fitted.range().octaves(step);
        if (!areOutside) {
          inside.computeIfAbsent(Regime.of(step), none -> DoubleStream.builder()).add(error);
        } else if (distance > 0) {
          outside.add(error);
          distances.add(distance);
        }
      }
    }
  }

  /** Of steps such as were fitted. */
  Map<Regime, ErrorBand> inside() {
    return inside;
  }

  /** Of steps outside of what was fitted, at {@link #octaves}. */
  public ErrorBand outside() {
    return outside;
  }

  /** The distance that {@link #outside} is of. */
  public double octaves() {
    return octaves;
  }

  /** Of steps such as were fitted, that compute {@code regime}. */
  public ErrorBand inside(Regime regime) {
    return inside.getOrDefault(regime, ErrorBand.UNKNOWN);
  }

  /** Of a step at a distance from what was fitted; 0 for one that is within. */
  ErrorBand at(Regime regime, double distance) {
    final ErrorBand near = inside(regime);
    if (distance == 0) {
      return near;
    }
    final double power = Math.max(1, distance / octaves);
    final double low = Math.pow(outside.low(), power);
    final double high = Math.pow(outside.high(), power);
    return Double.isNaN(near.low())
        ? new ErrorBand(low, high)
        : new ErrorBand(Math.min(near.low(), low), Math.max(near.high(), high));
  }
}
