package dev.headway.simulation.fit;

import dev.headway.simulation.hardware.GpuSpec;
import dev.headway.simulation.model.ForwardPass;
import dev.headway.simulation.step.OperatorTimes;
import org.jspecify.annotations.Nullable;

/**
 * Steps, and what they ran on.
 *
 * @param pass the model as it was spread over devices
 * @param gpu each of the devices
 * @param kernels what the operators took when they were measured; null for the roofline
 */
public record RecordedRun(
    RecordedSteps steps, ForwardPass pass, GpuSpec gpu, @Nullable OperatorTimes kernels) {}
