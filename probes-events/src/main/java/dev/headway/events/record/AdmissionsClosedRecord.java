package dev.headway.events.record;

import dev.headway.api.request.RequestView;
import dev.headway.api.schedule.WaitReason;
import org.jspecify.annotations.Nullable;

/**
 * ADMISSIONS_CLOSED, type 7: the reason shared by requests that were not examined has changed.
 * Level full.
 *
 * <pre>
 * 16  stepId        i64
 * 24  blockerNumber i64  -1 for none
 * 32  reason        i32  code of wait_reason
 * </pre>
 */
public final class AdmissionsClosedRecord {

  private AdmissionsClosedRecord() {}

  /** Writes the record. */
  public static void encode(
      RecordBuffer out, long stepId, WaitReason reason, @Nullable RequestView blocker) {
    out.begin(RecordType.ADMISSIONS_CLOSED)
        .putLong(stepId)
        .putLong(blocker == null ? -1 : blocker.number())
        .putInt(Labels.code(reason));
  }

  static void decode(RecordCursor in, Labels labels, JournalVisitor visitor) {
    visitor.onAdmissionsClosed(
        in.longAt(16), labels.word(Labels.WAIT_REASON, in.intAt(32)), in.longAt(24));
  }
}
