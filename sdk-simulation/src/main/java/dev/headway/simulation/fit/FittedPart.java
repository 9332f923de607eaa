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
 * @param form what the features are; the host's are the same in every form
 * @param sharpness of the roofline of physics; infinity otherwise
 * @param conditionNumber of the columns that were fitted
 */
public record FittedPart(
    StepPart part,
    StepTimeForm form,
    double sharpness,
    List<Coefficient> coefficients,
    double conditionNumber) {

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
      StepTimeForm form,
      double sharpness,
      ForwardPass pass,
      GpuSpec gpu,
      @Nullable OperatorTimes kernels) {
    if (part == StepPart.HOST) {
      return new HostFeatures();
    }
    return switch (form) {
      case PHYSICS ->
          new OperatorFeatures(pass, operators(gpu, sharpness, kernels), kernels == null);
      case LINEAR -> new CountFeatures(pass, gpu);
      case POLYNOMIAL, RIDGE, LASSO -> new PolynomialFeatures();
    };
  }

  private static OperatorTimes operators(
      GpuSpec gpu, double sharpness, @Nullable OperatorTimes kernels) {
    return kernels != null ? kernels : new Roofline(gpu, Shares.PEAK, sharpness);
  }

  double[] values() {
    return coefficients.stream().mapToDouble(Coefficient::value).toArray();
  }

  /** Predicts for a model on a device. */
  Prediction on(ForwardPass pass, GpuSpec gpu, @Nullable OperatorTimes kernels) {
    final double[] values = values();
    if (part != StepPart.HOST && form == StepTimeForm.PHYSICS) {
      final int kinds = OperatorKind.values().length;
      final OperatorTimes scaled = new ScaledOperators(operators(gpu, sharpness, kernels), values);
      return new ForwardPassTime(pass, scaled, new HostTime(values[kinds], values[kinds + 1]))::ns;
    }
    final StepFeatureSet features = features(part, form, sharpness, pass, gpu, kernels);
    final double[] row = new double[values.length];
    return step -> {
      features.fill(step, row);
      double ns = 0;
      for (int i = 0; i < row.length; i++) {
        ns += values[i] * row[i];
      }
      return ns;
    };
  }
}
