package dev.headway.probes.otel.run;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.record.PlannedStep;

/** What must be remembered of a planned step until it is completed. */
public final class StepFrame {

  private final long stepId;
  private final long beginNs;
  private final long endNs;
  private final int totalTokens;
  private final long gapNs;
  private final long[] numbers;

  StepFrame(PlannedStep step, long gapNs) {
    this.stepId = step.stepId();
    this.beginNs = step.beginNs();
    this.endNs = step.endNs();
    this.totalTokens = step.totalTokens();
    this.gapNs = gapNs;
    this.numbers = new long[step.hasEntries() ? step.batchSize() : 0];
    for (int entry = 0; entry < numbers.length; entry++) {
      numbers[entry] = step.number(entry);
    }
  }

  /** Number of the step. */
  public long stepId() {
    return stepId;
  }

  /** Instant at which scheduling began. */
  public long beginNs() {
    return beginNs;
  }

  /** Instant at which scheduling ended. */
  public long endNs() {
    return endNs;
  }

  /** Tokens planned. */
  public int totalTokens() {
    return totalTokens;
  }

  /** Entries that were recorded; 0 at level summary. */
  public int entries() {
    return numbers.length;
  }

  /** Request number of an entry. */
  public long number(int entry) {
    return numbers[entry];
  }

  long gapNs() {
    return gapNs;
  }

  static long gap(long previousEndNs, long beginNs) {
    return previousEndNs == ABSENT || previousEndNs > beginNs ? ABSENT : beginNs - previousEndNs;
  }
}
