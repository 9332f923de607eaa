package dev.headway.api.engine;

import dev.headway.api.request.FinishReason;
import dev.headway.api.request.RejectReason;
import dev.headway.api.schedule.WaitTimes;
import org.jspecify.annotations.Nullable;

/** What became of a request: it ran and ended, or it was refused at submission. Immutable. */
public sealed interface RequestOutcome {

  /** The caller's name for the request. */
  String id();

  /** Generated tokens, 0 for a rejected request. */
  int outputTokens();

  /**
   * Refused at submission.
   *
   * @param id the caller's name for the request
   * @param reason which rule refused it
   * @param message the rule with the numbers, and what to change
   */
  record Rejected(String id, RejectReason reason, String message) implements RequestOutcome {
    @Override
    public int outputTokens() {
      return 0;
    }
  }

  /** Ran, or waited, and ended. */
  final class Finished implements RequestOutcome {

    private final String id;
    private final FinishReason reason;
    private final int[] outputTokenIds;
    private final int preemptions;
    private final long arrivalNs;
    private final long finishedNs;
    private final @Nullable Throwable cause;
    private final WaitTimes waits;

    /**
     * Creates an outcome; for engines.
     *
     * @param outputTokenIds not copied
     * @param cause what failed, or null
     * @param waits how long it waited, by reason
     */
    public Finished(
        String id,
        FinishReason reason,
        int[] outputTokenIds,
        int preemptions,
        long arrivalNs,
        long finishedNs,
        @Nullable Throwable cause,
        WaitTimes waits) {
      this.id = id;
      this.reason = reason;
      this.outputTokenIds = outputTokenIds;
      this.preemptions = preemptions;
      this.arrivalNs = arrivalNs;
      this.finishedNs = finishedNs;
      this.cause = cause;
      this.waits = waits;
    }

    @Override
    public String id() {
      return id;
    }

    @Override
    public int outputTokens() {
      return outputTokenIds.length;
    }

    /** How it ended. */
    public FinishReason reason() {
      return reason;
    }

    /** Returns a copy of the generated tokens; of a session, those of its latest turn. */
    public int[] outputTokenIds() {
      return outputTokenIds.clone();
    }

    /** How often it was preempted. */
    public int preemptions() {
      return preemptions;
    }

    /** Instant of submission, of the engine's clock. */
    public long arrivalNs() {
      return arrivalNs;
    }

    /** Instant of its end, of the engine's clock. */
    public long finishedNs() {
      return finishedNs;
    }

    /** What failed, or null if nothing did. */
    public @Nullable Throwable cause() {
      return cause;
    }

    /**
     * How long it waited in the queue, by reason, to its end; the same to the nanosecond as the
     * events say. Empty if the scheduler does not account for waits; up to the latest admission if
     * the engine ended it without its scheduler.
     */
    public WaitTimes waits() {
      return waits;
    }

    @Override
    public String toString() {
      return "Finished[id="
          + id
          + ", reason="
          + reason
          + ", outputTokens="
          + outputTokenIds.length
          + ", preemptions="
          + preemptions
          + "]";
    }
  }
}
