package dev.headway.simulation.fit;

import dev.headway.simulation.hardware.GpuSpec;
import dev.headway.simulation.model.ExpertsSpec;
import dev.headway.simulation.model.ForwardPass;
import dev.headway.simulation.step.OperatorTimes;
import org.jspecify.annotations.Nullable;

/**
 * Steps, and what they ran on.
 *
 * @param pass the model as it was spread over devices
 * @param gpu each of the devices
 * @param kernels what the operators took when they were measured; null for the roofline
 * @param skew of the experts that the steps chose; the pass has it already
 */
public record RecordedRun(
    RecordedSteps steps,
    ForwardPass pass,
    GpuSpec gpu,
    @Nullable OperatorTimes kernels,
    RoutingSkew skew) {

  /** Steps whose experts are as the pass has them. */
  public RecordedRun(
      RecordedSteps steps, ForwardPass pass, GpuSpec gpu, @Nullable OperatorTimes kernels) {
    this(steps, pass, gpu, kernels, RoutingSkew.UNKNOWN);
  }

  /** Steps of a pass whose experts are chosen as unevenly as the steps say, if they do. */
  public static RecordedRun of(
      RecordedSteps steps, ForwardPass pass, GpuSpec gpu, @Nullable OperatorTimes kernels) {
    final ExpertsSpec experts = pass.model().experts();
    final RoutingSkew skew = experts == null ? RoutingSkew.UNKNOWN : RoutingSkew.of(steps, experts);
    return skew.steps() == 0
        ? new RecordedRun(steps, pass, gpu, kernels)
        : new RecordedRun(steps, pass.withRoutingSkew(skew.value()), gpu, kernels, skew);
  }
}
