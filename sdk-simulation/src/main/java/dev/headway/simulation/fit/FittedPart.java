package dev.headway.simulation.fit;

import dev.headway.api.step.StepFeatures;
import dev.headway.simulation.hardware.GpuSpec;
import dev.headway.simulation.model.ForwardPass;
import dev.headway.simulation.regression.Coefficient;
import dev.headway.simulation.step.ForwardPassTime;
import dev.headway.simulation.step.HostTime;
import dev.headway.simulation.step.OperatorTimes;
import dev.headway.simulation.step.Roofline;
import dev.headway.simulation.step.Roofline.Shares;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of a step's time with its coefficients. It fits any model and device that the features can
 * be computed for.
 *
 * @param settings what the features are made by
 * @param conditionNumber of the columns that were fitted
 */
public record FittedPart(
    StepPart part, FormSettings settings, List<Coefficient> coefficients, double conditionNumber) {

  /** Copies the list. */
  public FittedPart {
    coefficients = List.copyOf(coefficients);
  }

  /** Predicts this part of a step. */
  interface Prediction {
    double ns(StepFeatures step);
  }

  /** The features of a part. */
  static StepFeatureSet features(
      StepPart part,
      FormSettings settings,
      ForwardPass pass,
      GpuSpec gpu,
      @Nullable OperatorTimes kernels) {
    if (part == StepPart.HOST) {
      return new HostFeatures();
    }
    return switch (settings.form()) {
      case PHYSICS -> operators(settings, pass, gpu, kernels);
      case PIECEWISE ->
          new PiecewiseFeatures(operators(settings, pass, gpu, kernels), settings.classes());
      case LINEAR -> new CountFeatures(pass, gpu);
      case POLYNOMIAL, RIDGE, LASSO -> new PolynomialFeatures();
    };
  }

  private static OperatorFeatures operators(
      FormSettings settings, ForwardPass pass, GpuSpec gpu, @Nullable OperatorTimes kernels) {
    return new OperatorFeatures(
        pass, operators(gpu, settings.sharpness(), kernels), kernels == null);
  }

  private static OperatorTimes operators(
      GpuSpec gpu, double sharpness, @Nullable OperatorTimes kernels) {
    return kernels != null ? kernels : new Roofline(gpu, Shares.PEAK, sharpness);
  }

  double[] values() {
    return coefficients.stream().mapToDouble(Coefficient::value).toArray();
  }

  /** What the features are; the host's are the same in every form. */
  public StepTimeForm form() {
    return settings.form();
  }

  /** Predicts for a model on a device. */
  Prediction on(ForwardPass pass, GpuSpec gpu, @Nullable OperatorTimes kernels) {
    final double[] values = values();
    if (part != StepPart.HOST && form() == StepTimeForm.PHYSICS) {
      return operators(values, pass, gpu, kernels);
    }
    if (part != StepPart.HOST && form() == StepTimeForm.PIECEWISE) {
      final Prediction physical = operators(values, pass, gpu, kernels);
      final Prediction peak =
          new ForwardPassTime(pass, new Roofline(gpu, Shares.PEAK), HostTime.NONE)::ns;
      final Pieces pieces = new Pieces(settings.classes());
      final double[] row = new double[pieces.count()];
      return step -> {
        pieces.fill(step, row, 0);
        final double ns = physical.ns(step) + sum(values, values.length - row.length, row);
        return Math.max(ns, peak.ns(step));
      };
    }
    final StepFeatureSet features = features(part, settings, pass, gpu, kernels);
    final double[] row = new double[values.length];
    return step -> {
      features.fill(step, row);
      return sum(values, 0, row);
    };
  }

  private static double sum(double[] values, int from, double[] row) {
    double sum = 0;
    for (int i = 0; i < row.length; i++) {
      sum += values[from + i] * row[i];
    }
    return sum;
  }

  private Prediction operators(
      double[] values, ForwardPass pass, GpuSpec gpu, @Nullable OperatorTimes kernels) {
    final int kinds = OperatorKind.values().length;
    final OperatorTimes scaled =
        new ScaledOperators(operators(gpu, settings.sharpness(), kernels), values);
    final ForwardPassTime time =
        new ForwardPassTime(pass, scaled, new HostTime(values[kinds], values[kinds + 1]));
    final double savedNs = values[kinds + 2];
    final double loadedNs = values[kinds + 3];
    return step -> time.ns(step) + savedNs * step.savedBlocks() + loadedNs * step.loadedBlocks();
  }
}
