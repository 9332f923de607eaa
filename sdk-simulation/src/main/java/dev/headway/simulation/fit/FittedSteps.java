package dev.headway.simulation.fit;

import dev.headway.simulation.hardware.GpuSpec;
import dev.headway.simulation.model.ForwardPass;
import dev.headway.simulation.step.OperatorTimes;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A step's time as it was fitted on some rows.
 *
 * @param parts that it is the sum of
 * @param correction of what they leave over; null for none
 * @param range of the steps that were fitted
 */
record FittedSteps(
    List<FittedPart> parts, @Nullable ResidualCorrection correction, StepRange range) {

  /** Copies the list. */
  FittedSteps {
    parts = List.copyOf(parts);
  }

  /** The model for a model and a device, those that were recorded or others. */
  FittedStepTime on(
      ForwardPass pass, GpuSpec gpu, @Nullable OperatorTimes kernels, ErrorBands bands) {
    return on(pass, gpu, kernels, bands, 0);
  }

  /** As above, where requests take so long from their arrival to the queue. */
  FittedStepTime on(
      ForwardPass pass,
      GpuSpec gpu,
      @Nullable OperatorTimes kernels,
      ErrorBands bands,
      long arrivalToQueueNs) {
    return new FittedStepTime(this, bands, pass, gpu, kernels, arrivalToQueueNs);
  }

  /** The model for what a run was recorded on, without bands. */
  FittedStepTime on(RecordedRun run) {
    return on(run.pass(), run.gpu(), run.kernels(), ErrorBands.UNKNOWN);
  }
}
