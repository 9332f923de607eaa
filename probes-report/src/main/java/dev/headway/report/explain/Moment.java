package dev.headway.report.explain;

import dev.headway.events.record.FinishedRecord;
import org.jspecify.annotations.Nullable;

/** Something that happened to a request, at an instant of its run. */
sealed interface Moment permits Stretch, Setback, Moment.Point {

  /** When it happened, or began. */
  long atNs();

  /** Something that takes no time. */
  sealed interface Point extends Moment {}

  /** It was submitted. */
  record Arrived(long atNs) implements Point {}

  /** It entered the queue, held up by a step if one was under way when it arrived. */
  record Queued(long atNs, @Nullable StepUnderWay heldBy) implements Point {}

  /** It got a seat. */
  record Admitted(
      long atNs,
      long stepId,
      String kind,
      long waitedNs,
      int cachedTokens,
      int hostCachedTokens,
      int lostTokens,
      Ranks.@Nullable Rank rank)
      implements Point {}

  /** Its first token was there. */
  record FirstToken(long atNs, long stepId) implements Point {}

  /** The server around the engine saw a stage of it. */
  record Journey(long atNs, String stage, @Nullable String reason, @Nullable String error)
      implements Point {}

  /** The writer had to drop records while the request lived. */
  record Dropped(long atNs, long records) implements Point {}

  /** It ended. */
  record Ended(long atNs, FinishedRecord end) implements Point {}
}
