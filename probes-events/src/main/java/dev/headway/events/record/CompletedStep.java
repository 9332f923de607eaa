package dev.headway.events.record;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.step.FirstOfKind;
import org.jspecify.annotations.Nullable;

/** A completed step; a reused view, valid during the call. */
public interface CompletedStep {
  /** Number of the step. */
  long stepId();

  /** Whether the executor saw it. */
  boolean wasExecuted();

  /** Whether it was the first of its kind; unknown in a journal of before schema 2.2. */
  default FirstOfKind firstOfKind() {
    return FirstOfKind.UNKNOWN;
  }

  /** Instant of the hand-over to the executor. */
  long submitNs();

  /** Instant at which the output was available. */
  long outputNs();

  /** Instant at which the output was taken over. */
  long endNs();

  /** Time to build and upload the batch, or absent. */
  long prepareNs();

  /** Time of the forward pass, or absent. */
  long forwardNs();

  /** Time to sample, or absent. */
  long sampleNs();

  /** Device memory in use, in bytes, or absent. */
  long deviceMemoryUsedBytes();

  /** Device utilisation in 1/1000, or absent. */
  long deviceUtilizationPermille();

  /** Tokens appended over all entries. */
  int producedTotal();

  /** Whether per-entry figures were recorded; not at level summary. */
  boolean hasEntries();

  /** Tokens appended to an entry of the plan with the same step. */
  int producedTokens(int entry);

  /** What failed, or null. */
  @Nullable String failure();

  /** Entries that had draft tokens; 0 in a journal of schema 1.0, as the next two. */
  int drafts();

  /** Draft tokens that were verified. */
  int draftTokens();

  /** Those of them that were right. */
  int acceptedTokens();

  /** Positions behind a decode at which any was right; 0 in a journal before schema 2.5. */
  default int acceptedPositions() {
    return 0;
  }

  /** Draft tokens that were right at {@code position} in [0, acceptedPositions). */
  default int acceptedTokensAt(int position) {
    throw new IndexOutOfBoundsException("no draft was right: position=" + position);
  }

  /**
   * Routed experts that computed for any token, summed over the layers; absent if the executor does
   * not say, and in a journal before schema 2.7.
   */
  default long activatedExperts() {
    return ABSENT;
  }

  /**
   * What scheduling took on the machine, where the instants of the plan do not say: in virtual
   * time, if it was measured; else absent.
   */
  default long measuredScheduleNs() {
    return ABSENT;
  }
}
