package dev.headway.events.record;

import dev.headway.api.request.RequestView;
import dev.headway.api.schedule.PreemptionCause;
import org.jspecify.annotations.Nullable;

/**
 * PREEMPTED, type 8: a running request was put back.
 *
 * <pre>
 * 16  stepId            i64
 * 24  number            i64
 * 32  beneficiaryNumber i64  -1 for none
 * 40  cause             i32  code of preemption_cause
 * 44  lostTokens        i32
 * 48  freedBlocks       i32
 * </pre>
 */
public final class PreemptedRecord {

  private PreemptedRecord() {}

  /** Writes the record. */
  public static void encode(
      RecordBuffer out,
      long stepId,
      RequestView victim,
      PreemptionCause cause,
      @Nullable RequestView beneficiary,
      int lostTokens,
      int freedBlocks) {
    out.begin(RecordType.PREEMPTED)
        .putLong(stepId)
        .putLong(victim.number())
        .putLong(beneficiary == null ? -1 : beneficiary.number())
        .putInt(Labels.code(cause))
        .putInt(lostTokens)
        .putInt(freedBlocks);
  }

  static void decode(RecordCursor in, Labels labels, JournalVisitor visitor) {
    visitor.onPreempted(
        in.longAt(16),
        in.longAt(24),
        labels.word(Labels.PREEMPTION_CAUSE, in.intAt(40)),
        in.longAt(32),
        in.intAt(44),
        in.intAt(48));
  }
}
