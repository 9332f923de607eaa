package dev.headway.events.model;

import dev.headway.events.record.PlannedStep;

/**
 * Figures of a plan, copied. See {@link PlannedStep}.
 *
 * @param beginNs scheduling began
 * @param endNs scheduling ended
 * @param prefillRequests requests that are not decoding
 * @param prefillTokens tokens of those
 */
public record StepPlanFigures(
    long stepId,
    long beginNs,
    long endNs,
    int batchSize,
    int totalTokens,
    int prefillRequests,
    int prefillTokens,
    int runningCount,
    int waitingCount,
    int preemptedWaitingCount,
    int freeBlocks) {

  static StepPlanFigures of(PlannedStep step) {
    return new StepPlanFigures(
        step.stepId(),
        step.beginNs(),
        step.endNs(),
        step.batchSize(),
        step.totalTokens(),
        step.prefillRequests(),
        step.prefillTokens(),
        step.runningCount(),
        step.waitingCount(),
        step.preemptedWaitingCount(),
        step.freeBlocks());
  }

  /** Requests that are decoding. */
  public int decodeRequests() {
    return batchSize - prefillRequests;
  }

  /** Tokens of those. */
  public int decodeTokens() {
    return totalTokens - prefillTokens;
  }

  /** Duration of scheduling. */
  public long scheduleNs() {
    return endNs - beginNs;
  }
}
