package dev.headway.probes.otel.run;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.record.CompletedStep;

/**
 * Where the time of a step went, in ns; {@code ABSENT} for what was not measured.
 *
 * @param scheduleNs deciding who computes what
 * @param prepareNs building and uploading the batch, as the executor says
 * @param forwardNs the executor's figure, or the time between hand-over and output
 * @param sampleNs sampling, as the executor says
 * @param updateNs taking the output over
 * @param gapNs from the end of the step before to the beginning of this one; absent if they overlap
 */
public record StepTimes(
    long scheduleNs, long prepareNs, long forwardNs, long sampleNs, long updateNs, long gapNs) {

  static StepTimes of(StepFrame planned, CompletedStep step) {
    final boolean executed = step.wasExecuted();
    final long betweenNs = executed ? step.outputNs() - step.submitNs() : ABSENT;
    return new StepTimes(
        planned.endNs() - planned.beginNs(),
        step.prepareNs(),
        step.forwardNs() == ABSENT ? betweenNs : step.forwardNs(),
        step.sampleNs(),
        step.endNs() - step.outputNs(),
        planned.gapNs());
  }
}
