package dev.headway.probes.csv.projection;

import dev.headway.events.record.AdmittedRecord;
import org.jspecify.annotations.Nullable;

/**
 * What a step decided before its instant is known: applied in order when its plan ends. Notes have
 * no instant either and stand in the same line.
 */
sealed interface Decision {

  /** Whom it is about, or null. */
  @Nullable RequestTimeline request();

  /** A request gets a seat. */
  record Admit(RequestTimeline request, AdmittedRecord admitted) implements Decision {}

  /** A request is put back. */
  record Preempt(
      RequestTimeline request,
      String cause,
      @Nullable RequestIdentity beneficiary,
      int lostTokens,
      int freedBlocks)
      implements Decision {}

  /** A request got nothing. */
  record Block(
      RequestTimeline request,
      Reason reason,
      @Nullable RequestIdentity blocker,
      int needed,
      int free)
      implements Decision {}

  /** A request's own reason no longer holds. */
  record Unblock(RequestTimeline request) implements Decision {}

  /** The shared reason changed. */
  record Close(Reason reason, @Nullable RequestIdentity blocker) implements Decision {
    @Override
    public @Nullable RequestTimeline request() {
      return null;
    }
  }

  /**
   * Something happened that changes no request.
   *
   * @param type the event's type
   * @param removedBlocks cached blocks lost
   */
  record Note(
      @Nullable RequestTimeline request, String type, int removedBlocks, @Nullable String details)
      implements Decision {}
}
