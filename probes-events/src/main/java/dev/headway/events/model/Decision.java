package dev.headway.events.model;

import dev.headway.events.record.AdmissionsClosedRecord;
import dev.headway.events.record.AdmittedRecord;
import dev.headway.events.record.BlockedRecord;
import dev.headway.events.record.KvRemovedRecord;
import dev.headway.events.record.KvStoredRecord;
import dev.headway.events.record.PreemptedRecord;
import dev.headway.events.record.ScoredRecord;
import dev.headway.events.record.UnblockedRecord;
import org.jspecify.annotations.Nullable;

/**
 * A record without an instant: a decision of a step takes effect when scheduling ends, and the
 * others get the instant of the next record. {@link RequestListener#onDecision} is called when it
 * is known.
 *
 * <p>Requests are resolved when the record is read, so that a request that ends before the decision
 * takes effect is still named.
 */
public sealed interface Decision {

  /** The request it is about; null if it is about none. */
  default @Nullable RequestTimeline request() {
    return null;
  }

  /** Whether it is a decision of a step or a cache reset; false for a record outside any step. */
  default boolean isOfStep() {
    return true;
  }

  /** A request was admitted. */
  record Admitted(RequestTimeline request, AdmittedRecord record) implements Decision {}

  /** A request was examined and got nothing, for a new reason. */
  record Blocked(RequestTimeline request, BlockedRecord record, @Nullable RequestTimeline blocker)
      implements Decision {}

  /** The individual wait reason of a request was cleared. */
  record Unblocked(RequestTimeline request, UnblockedRecord record) implements Decision {}

  /** The reason shared by the waiting requests that were not examined has changed. */
  record AdmissionsClosed(AdmissionsClosedRecord record, @Nullable RequestTimeline blocker)
      implements Decision {}

  /**
   * A running request was preempted: it is in the queue again.
   *
   * @param beneficiary the request that gets its seat or blocks, or null
   */
  record Preempted(
      RequestTimeline request, PreemptedRecord record, @Nullable RequestTimeline beneficiary)
      implements Decision {}

  /** A policy has ranked a waiting request. */
  record Scored(RequestTimeline request, ScoredRecord record) implements Decision {
    @Override
    public boolean isOfStep() {
      return false;
    }
  }

  /** KV blocks became findable; the request that computed them is null if it has ended. */
  record KvStored(@Nullable RequestTimeline request, KvStoredRecord record) implements Decision {
    @Override
    public boolean isOfStep() {
      return false;
    }
  }

  /** A cached block was reused for other content. */
  record KvRemoved(KvRemovedRecord record) implements Decision {
    @Override
    public boolean isOfStep() {
      return false;
    }
  }

  /** The prefix cache was cleared. */
  record KvCleared() implements Decision {
    @Override
    public boolean isOfStep() {
      return false;
    }
  }
}
