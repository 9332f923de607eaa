package dev.headway.simulation.fit;

import dev.headway.simulation.hardware.GpuSpec;
import dev.headway.simulation.model.ForwardPass;
import dev.headway.simulation.regression.Coefficient;
import dev.headway.simulation.regression.Coefficient.Status;
import dev.headway.simulation.regression.Feature;
import dev.headway.simulation.step.OperatorTimes;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The few numbers that step times of a model on a device have, and what is known of each before
 * anything is measured. Each has a coordinate that is normally distributed around 0 with deviation
 * 1 by that: of factors the logarithm, of times the time. Immutable; one thread for the models.
 */
final class StepNumbers {

  /** The name of the time between arrival and queue, which is no part of a step. */
  static final String ARRIVAL = "arrival_to_queue";

  private static final int KINDS = OperatorKind.values().length;

  /**
   * What a host takes per step that it does not hide: planning, inputs, sampling. Versions of vLLM
   * were seen from nearly none to 2.4 ms (docs/benchmarks/simulation.md).
   */
  private static final double HOST_NS = 500_000;

  private static final double HOST_DEVIATION_NS = 700_000;

  /** Between two kernels of a graph, and what a kernel takes to fill and drain the device. */
  private static final double KERNEL_NS = 1_000;

  /** Latency of an all-reduce within a node, whatever its bytes. */
  private static final double ALL_REDUCE_NS = 5_000;

  private static final double REQUEST_NS = 25_000;
  private static final double REQUEST_DEVIATION_NS = 25_000;
  private static final double ARRIVAL_NS = 2_000_000;
  private static final double ARRIVAL_DEVIATION_NS = 5_000_000;

  /**
   * Differences in which slopes are taken: of a factor's logarithm, of the coordinate of a time.
   */
  private static final double FACTOR_STEP = 0.08;

  private static final double TIME_STEP = 0.25;
  private static final double BOUND = 1e-9;

  /** The longer of arithmetic and memory. */
  private static final FormSettings PHYSICS = FormSettings.of(StepTimeForm.PHYSICS);

  /** Measured kernels are close to those of the server. */
  private static final double MEASURED_DEVIATION = 0.1;

  private final ForwardPass pass;
  private final GpuSpec gpu;
  private final @Nullable OperatorTimes kernels;
  private final Feature[] features;
  private final List<Known> numbers = new ArrayList<>();

  /**
   * A number.
   *
   * @param index in the coefficients of a step; -1 for the time between arrival and queue
   * @param prior its most likely value
   * @param deviation of the logarithm of a factor, or of a time in ns
   * @param isFactor whether it multiplies what an operator takes
   */
  private record Known(
      String name, int index, double prior, double deviation, double lowest, boolean isFactor) {

    double value(double coordinate) {
      return isFactor
          ? Math.max(lowest, prior * Math.exp(deviation * coordinate))
          : Math.max(0, prior + deviation * coordinate);
    }

    double coordinate(double value) {
      return isFactor ? Math.log(value / prior) / deviation : (value - prior) / deviation;
    }
  }

  StepNumbers(ForwardPass pass, GpuSpec gpu, @Nullable OperatorTimes kernels) {
    this.pass = pass;
    this.gpu = gpu;
    this.kernels = kernels;
    features = FittedPart.features(StepPart.STEP, PHYSICS, pass, gpu, kernels).features();
    for (OperatorKind kind : OperatorKind.values()) {
      if (isPresent(kind)) {
        final Feature feature = features[ScaledOperators.index(kind)];
        final double deviation =
            kernels == null || isEstimated(kind) ? kind.deviation() : MEASURED_DEVIATION;
        numbers.add(
            new Known(
                feature.name(),
                ScaledOperators.index(kind),
                feature.prior(),
                deviation,
                feature.lowest(),
                true));
      }
    }
    final double stepNs =
        kernels != null
            ? HOST_NS
            : HOST_NS + KERNEL_NS * pass.kernels() + ALL_REDUCE_NS * pass.allReduces();
    final double deviation = Math.max(HOST_DEVIATION_NS, stepNs / 2);
    numbers.add(new Known("step", KINDS, stepNs, deviation, 0, false));
    numbers.add(new Known("request", KINDS + 1, REQUEST_NS, REQUEST_DEVIATION_NS, 0, false));
    numbers.add(new Known(ARRIVAL, -1, ARRIVAL_NS, ARRIVAL_DEVIATION_NS, 0, false));
  }

  /** Whether a step of the model has any of it. */
  private boolean isPresent(OperatorKind kind) {
    return switch (kind) {
      case EXPERTS -> pass.experts() != null;
      case ALL_REDUCE -> pass.allReduces() > 0;
      case BEYOND_TILES -> false; // products have to be seen step by step for it
      default -> true;
    };
  }

  /** Whether its time is a roofline's even where kernels were measured. */
  private static boolean isEstimated(OperatorKind kind) {
    return kind == OperatorKind.EXPERTS
        || kind == OperatorKind.MEMORY
        || kind == OperatorKind.ALL_REDUCE; // measured alone, while in a server products hide it
  }

  /** What is served. */
  ForwardPass pass() {
    return pass;
  }

  /** The device. */
  GpuSpec gpu() {
    return gpu;
  }

  /** What operators took when they were measured; null for shares of the peaks. */
  @Nullable OperatorTimes kernels() {
    return kernels;
  }

  int size() {
    return numbers.size();
  }

  String name(int number) {
    return numbers.get(number).name;
  }

  boolean isFactor(int number) {
    return numbers.get(number).isFactor;
  }

  double value(int number, double coordinate) {
    return numbers.get(number).value(coordinate);
  }

  /** The least coordinate: no faster than the device, and no time below 0. */
  double lowest(int number) {
    final Known of = numbers.get(number);
    return of.isFactor && of.lowest == 0 ? Double.NEGATIVE_INFINITY : of.coordinate(of.lowest);
  }

  boolean isAtBound(int number, double coordinate) {
    return coordinate <= lowest(number) + BOUND;
  }

  /** A difference of coordinates that moves latencies by some percent. */
  double step(int number) {
    final Known of = numbers.get(number);
    return of.isFactor ? FACTOR_STEP / of.deviation : TIME_STEP;
  }

  /** The whole step's time with numbers at these coordinates. */
  FittedStepTime model(double[] coordinates, StepRange range) {
    final FittedSteps steps = new FittedSteps(List.of(part(coordinates, null, null)), null, range);
    return steps.on(pass, gpu, kernels, ErrorBands.UNKNOWN, arrivalToQueueNs(coordinates));
  }

  long arrivalToQueueNs(double[] coordinates) {
    final int last = numbers.size() - 1;
    return Math.round(value(last, coordinates[last]));
  }

  /**
   * The coefficients of a step's time.
   *
   * @param errors standard errors of the coordinates; null if not known
   * @param told which of the numbers the data tell; null for all
   */
  FittedPart part(double[] coordinates, double @Nullable [] errors, boolean @Nullable [] told) {
    final Coefficient[] coefficients = new Coefficient[features.length];
    for (int i = 0; i < features.length; i++) {
      coefficients[i] =
          new Coefficient(features[i], features[i].prior(), Double.NaN, Status.UNSEEN);
    }
    for (int i = 0; i < numbers.size(); i++) {
      final Known number = numbers.get(i);
      if (number.index >= 0) {
        final double value = number.value(coordinates[i]);
        final boolean isAtBound = isAtBound(i, coordinates[i]);
        coefficients[number.index] =
            new Coefficient(
                features[number.index],
                Math.max(value, features[number.index].lowest()),
                errors == null || isAtBound
                    ? Double.NaN
                    : errors[i] * number.deviation * (number.isFactor ? value : 1),
                isAtBound
                    ? Status.AT_BOUND
                    : told == null || told[i] ? Status.FITTED : Status.PRIOR);
      }
    }
    return new FittedPart(StepPart.STEP, PHYSICS, List.of(coefficients), Double.NaN);
  }
}
