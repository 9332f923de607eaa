package dev.headway.simulation.fit;

import dev.headway.api.step.LatencyModel;
import dev.headway.api.step.StepFeatures;
import dev.headway.simulation.fit.FittedPart.Prediction;
import dev.headway.simulation.hardware.GpuSpec;
import dev.headway.simulation.model.ForwardPass;
import dev.headway.simulation.step.ArrivalDelay;
import dev.headway.simulation.step.OperatorTimes;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The duration of a step as the sum of its fitted parts.
 *
 * <p>One thread; allocates only to grow.
 */
public final class FittedStepTime implements LatencyModel, ArrivalDelay {

  private final Prediction[] parts;
  private final @Nullable ResidualCorrection correction;
  private final StepRange range;
  private final ErrorBands bands;
  private final String name;
  private final long arrivalToQueueNs;
  private List<String> carriedFrom = List.of();
  private double heldOutError = Double.NaN;
  private long steps;
  private long extrapolated;

  FittedStepTime(
      FittedSteps fitted,
      ErrorBands bands,
      ForwardPass pass,
      GpuSpec gpu,
      @Nullable OperatorTimes kernels,
      long arrivalToQueueNs) {
    this.arrivalToQueueNs = arrivalToQueueNs;
    parts =
        fitted.parts().stream().map(part -> part.on(pass, gpu, kernels)).toArray(Prediction[]::new);
    correction = fitted.correction();
    range = fitted.range();
    this.bands = bands;
    this.name = pass.model() + " on " + pass.parallelism().devices() + " x " + gpu.name();
  }

  @Override
  public long stepNs(StepFeatures step) {
    if (step.requests() == 0 && step.transferredBlocks() == 0) {
      return 0;
    }
    steps++;
    extrapolated += range.contains(step) ? 0 : 1;
    return Math.max(0, Math.round(ns(step)));
  }

  /** The duration of a step with requests or moving blocks, in ns, not rounded. */
  double ns(StepFeatures step) {
    double ns = 0;
    for (Prediction part : parts) {
      ns += part.ns(step);
    }
    return correction == null ? ns : ns * correction.factor(step, range);
  }

  /** As it was fitted to measured requests; 0 of recorded steps. */
  @Override
  public long arrivalToQueueNs() {
    return arrivalToQueueNs;
  }

  void carriedFrom(List<String> recorded) {
    carriedFrom = List.copyOf(recorded);
  }

  /**
   * What it was fitted on, as {@code model on n x gpu}, where that is another model or device than
   * it predicts; else empty.
   */
  public List<String> carriedFrom() {
    return carriedFrom;
  }

  void heldOutError(double meanError) {
    heldOutError = meanError;
  }

  /**
   * The mean error of the steps that were held out when it was fitted, as a share; NaN if it was
   * fitted on requests, on another model or on another device.
   */
  public double heldOutError() {
    return heldOutError;
  }

  /** How far measured times of steps such as were fitted are from predictions, by regime. */
  public ErrorBand band(Regime regime) {
    return bands.inside(regime);
  }

  /**
   * How far the measured time of a step is from the prediction, nine times in ten: farther outside
   * of what was fitted than within. Allocates.
   */
  public ErrorBand band(StepFeatures step) {
    return bands.at(Regime.of(step), range.octaves(step));
  }

  /** Whether a step is smaller or larger than what the model was fitted on. */
  public boolean isExtrapolating(StepFeatures step) {
    return !range.contains(step);
  }

  /** The share of the steps asked for so far that were smaller or larger than what was fitted. */
  public double extrapolatedShare() {
    return steps == 0 ? 0 : (double) extrapolated / steps;
  }

  @Override
  public String toString() {
    return "fitted step times of " + name;
  }
}
