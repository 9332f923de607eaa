package dev.headway.events.record;

import dev.headway.api.request.RequestView;
import dev.headway.api.schedule.WaitReason;
import org.jspecify.annotations.Nullable;

/**
 * BLOCKED, type 5: a request was examined and got nothing, for a new reason. Level full.
 *
 * <pre>
 * 16  stepId        i64
 * 24  number        i64
 * 32  blockerNumber i64  -1 for none
 * 40  reason        i32  code of wait_reason
 * 44  needed        i32
 * 48  free          i32
 * </pre>
 */
public final class BlockedRecord {

  private BlockedRecord() {}

  /** Writes the record. */
  public static void encode(
      RecordBuffer out,
      long stepId,
      RequestView request,
      WaitReason reason,
      @Nullable RequestView blocker,
      int needed,
      int free) {
    out.begin(RecordType.BLOCKED)
        .putLong(stepId)
        .putLong(request.number())
        .putLong(blocker == null ? -1 : blocker.number())
        .putInt(Labels.code(reason))
        .putInt(needed)
        .putInt(free);
  }

  static void decode(RecordCursor in, Labels labels, JournalVisitor visitor) {
    visitor.onBlocked(
        in.longAt(16),
        in.longAt(24),
        labels.word(Labels.WAIT_REASON, in.intAt(40)),
        in.longAt(32),
        in.intAt(44),
        in.intAt(48));
  }
}
