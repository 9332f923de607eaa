package dev.headway.report.explain;

import dev.headway.events.model.StepTimeline;
import dev.headway.events.record.AdmittedRecord;
import dev.headway.events.record.FinishedRecord;
import dev.headway.events.record.JourneyRecord;
import org.jspecify.annotations.Nullable;

/** Something that happened to a request, at an instant of its run. */
sealed interface TimelineEntry permits Interval, PreemptionCost, TimelineEntry.Point {

  /** When it happened, or began. */
  long atNs();

  /** Something that takes no time. */
  sealed interface Point extends TimelineEntry {}

  /** It was submitted. */
  record Arrived(long atNs) implements Point {}

  /** It entered the queue, held up by a step if one was under way when it arrived. */
  record Queued(long atNs, @Nullable StepTimeline heldBy) implements Point {}

  /** It was admitted. */
  record Admitted(long atNs, AdmittedRecord record, long waitedNs, Ranks.@Nullable Rank rank)
      implements Point {}

  /** Others took blocks that were computed for it, while it waited after a preemption. */
  record Evicted(long atNs, long stepId, int tokens) implements Point {}

  /** Its first token was there. */
  record FirstToken(long atNs, long stepId) implements Point {}

  /** The server around the engine saw a stage of it. */
  record Journey(JourneyRecord record) implements Point {
    @Override
    public long atNs() {
      return record.atNs();
    }
  }

  /** The writer had to drop records while the request lived. */
  record Dropped(long atNs, long records) implements Point {}

  /** It ended. */
  record Ended(FinishedRecord end) implements Point {
    @Override
    public long atNs() {
      return end.atNs();
    }
  }
}
