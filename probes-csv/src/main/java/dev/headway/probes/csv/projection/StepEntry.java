package dev.headway.probes.csv.projection;

import dev.headway.events.record.PlannedStep;

/** One entry of a planned step; a reused view. */
final class StepEntry {

  private final PlannedStep step;
  private int index;

  StepEntry(PlannedStep step) {
    this.step = step;
  }

  StepEntry at(int entry) {
    index = entry;
    return this;
  }

  long stepId() {
    return step.stepId();
  }

  long number() {
    return step.number(index);
  }

  int scheduledTokens() {
    return step.scheduledTokens(index);
  }

  int computedTokens() {
    return step.computedTokens(index);
  }

  boolean samples() {
    return step.samples(index);
  }

  int blockCount() {
    return step.blockCount(index);
  }

  int newBlocks() {
    return step.newBlocks(index);
  }
}
