package dev.headway.simulation.fit;

import dev.headway.api.step.LatencyModel;
import dev.headway.api.step.StepFeatures;
import dev.headway.simulation.calibrate.LatencyMetric;
import dev.headway.simulation.hardware.GpuSpec;
import dev.headway.simulation.model.ForwardPass;
import dev.headway.simulation.step.ArrivalDelay;
import dev.headway.simulation.step.OperatorTimes;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Step times from what a client measured, by simulation in the loop: the server's scheduler is
 * simulated over the measured arrivals and lengths with candidate numbers, and the numbers are
 * changed until the simulated latencies are the measured ones, relatively. What the load does not
 * tell stays at what is known of such numbers anyway.
 *
 * <p>Deterministic. One thread. Memory: the requests, and their latencies in some tens of
 * simulations.
 */
public final class MeasuredStepFit {

  /** Fewer fitted requests of a run than this say too little. */
  public static final int FEWEST_REQUESTS = 20;

  private static final double NORMAL_95 = 1.959964;
  private static final double CONFUSED = 0.8;
  private static final int WARM_UP_PART = 5;

  private final List<MeasuredRun> runs;
  private final double share;
  private final StepNumbers numbers;
  private final List<int[]> fitted = new ArrayList<>();
  private final List<int[]> held = new ArrayList<>();
  private final double[] found;
  private final NumberCertainty certainty;
  private final int simulations;
  private final List<SimulatedLatencies> simulated = new ArrayList<>();
  private StepRange range = StepRange.NONE;

  private MeasuredStepFit(
      List<MeasuredRun> runs, StepNumbers numbers, double share, IntConsumer onSimulated) {
    this.runs = List.copyOf(runs);
    this.numbers = numbers;
    this.share = share;
    for (MeasuredRun run : runs) {
      fitted.add(measured(run, warmUp(run), split(run, share)));
      held.add(measured(run, split(run, share), run.size()));
    }
    final SimulationSearch search =
        new SimulationSearch(
            this.runs, numbers, new LatencyMoments(this.runs, fitted), onSimulated);
    found = search.found();
    certainty = new NumberCertainty(search, fitted);
    simulations = search.simulations();
    final Observed model = new Observed(numbers.model(found, StepRange.NONE));
    for (MeasuredRun run : runs) {
      simulated.add(SimulatedLatencies.of(run, model));
    }
  }

  /** Step times that note how large steps are. */
  private final class Observed implements LatencyModel, ArrivalDelay {
    private final FittedStepTime model;

    Observed(FittedStepTime model) {
      this.model = model;
    }

    @Override
    public long stepNs(StepFeatures step) {
      range = range.with(step);
      return model.stepNs(step);
    }

    @Override
    public long arrivalToQueueNs() {
      return model.arrivalToQueueNs();
    }
  }

  /**
   * Fits the first part of the time of each run.
   *
   * @param runs of one server, each with its limits
   * @param kernels what operators took when they were measured; null for shares of the peaks
   * @param share how much of the requests, in (0, 1]; the rest is simulated too, and only tests
   * @param onSimulated gets how many simulations have been made
   * @throws IllegalArgumentException if fewer than {@link #FEWEST_REQUESTS} of a run can be fitted
   */
  public static MeasuredStepFit of(
      List<MeasuredRun> runs,
      ForwardPass pass,
      GpuSpec gpu,
      @Nullable OperatorTimes kernels,
      double share,
      IntConsumer onSimulated) {
    if (!(share > 0 && share <= 1)) {
      throw new IllegalArgumentException("the share to fit must be in (0, 1]: share=" + share);
    }
    for (MeasuredRun run : runs) {
      final int usable = measured(run, warmUp(run), split(run, share)).length;
      if (usable < FEWEST_REQUESTS) {
        throw new IllegalArgumentException(
            "a fit needs at least "
                + FEWEST_REQUESTS
                + " measured requests after the first "
                + warmUp(run)
                + ": run="
                + run.label()
                + ", usable="
                + usable
                + ", share="
                + share
                + ", left out="
                + run.omittedByReason());
      }
    }
    return new MeasuredStepFit(runs, new StepNumbers(pass, gpu, kernels), share, onSimulated);
  }

  private static int[] measured(MeasuredRun run, int from, int to) {
    return IntStream.range(from, to).filter(index -> run.measured(index) != null).toArray();
  }

  /** The first requests of a run find kernels and caches cold; of few requests a fifth. */
  private static int warmUp(MeasuredRun run) {
    return Math.min(RequestTimeFit.WARM_UP_REQUESTS, run.size() / WARM_UP_PART);
  }

  private static int split(MeasuredRun run, double share) {
    return (int) Math.ceil(run.size() * share);
  }

  /** The runs. */
  public List<MeasuredRun> runs() {
    return runs;
  }

  /** What was served. */
  public ForwardPass pass() {
    return numbers.pass();
  }

  /** The device. */
  public GpuSpec gpu() {
    return numbers.gpu();
  }

  /** What the operators took when they were measured; null for shares of the peaks. */
  public @Nullable OperatorTimes kernels() {
    return numbers.kernels();
  }

  /** How much of the requests was fitted. */
  public double share() {
    return share;
  }

  /** Simulations that were made. */
  public int simulations() {
    return simulations;
  }

  /** What was found. */
  public List<FittedNumber> numbers() {
    final List<FittedNumber> result = new ArrayList<>();
    for (int i = 0; i < numbers.size(); i++) {
      final double far = NORMAL_95 * certainty.error(i);
      final double lowest = numbers.lowest(i);
      result.add(
          new FittedNumber(
              numbers.name(i),
              numbers.isFactor(i),
              numbers.value(i, found[i]),
              numbers.value(i, Math.max(lowest, found[i] - far)),
              numbers.value(i, found[i] + far),
              numbers.value(i, 0),
              certainty.told(i),
              numbers.isAtBound(i, found[i])));
    }
    return result;
  }

  /** Pairs of numbers that can hardly be distinguished by the requests. */
  public List<FittedNumber.Confused> confused() {
    final List<FittedNumber.Confused> result = new ArrayList<>();
    for (int i = 0; i < numbers.size(); i++) {
      for (int j = i + 1; j < numbers.size(); j++) {
        final double correlation = certainty.correlation(i, j);
        if (Math.abs(correlation) >= CONFUSED) {
          result.add(new FittedNumber.Confused(numbers.name(i), numbers.name(j), correlation));
        }
      }
    }
    return result;
  }

  /**
   * Measured requests that the simulated server refuses: its limits are not those of the server,
   * which served them.
   */
  public int refused() {
    int refused = 0;
    for (int run = 0; run < runs.size(); run++) {
      for (int request = 0; request < runs.get(run).size(); request++) {
        final boolean isServed = simulated.get(run).ns(LatencyMetric.E2E, request) > 0;
        refused += !isServed && runs.get(run).measured(request) != null ? 1 : 0;
      }
    }
    return refused;
  }

  /** The step's time. */
  FittedPart part() {
    final List<FittedNumber> all = numbers();
    final double[] errors = new double[all.size()];
    final boolean[] told = new boolean[all.size()];
    for (int i = 0; i < errors.length; i++) {
      errors[i] = certainty.error(i);
      told[i] = all.get(i).isTold();
    }
    return numbers.part(found, errors, told);
  }

  /** The largest steps of the simulated runs. */
  public StepRange range() {
    return range;
  }

  /** The step times of the server. */
  public FittedStepTime model() {
    return numbers.model(found, range);
  }

  /** How far the simulation is off on what was fitted. */
  public MeasuredQuality trained(LatencyMetric metric) {
    return MeasuredQuality.of(metric, runs, simulated, fitted);
  }

  /** How far it is off on later requests. */
  public MeasuredQuality held(LatencyMetric metric) {
    return MeasuredQuality.of(metric, runs, simulated, held);
  }
}
