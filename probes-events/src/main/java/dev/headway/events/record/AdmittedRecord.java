package dev.headway.events.record;

import dev.headway.api.request.RequestView;
import dev.headway.api.step.EntryKind;

/**
 * ADMITTED, type 4: a request was admitted in a step.
 *
 * <pre>
 * 16  stepId       i64
 * 24  number       i64
 * 32  kind         i32  code of kind: new or resumed
 * 36  cachedTokens i32
 * 40  lostTokens   i32
 * 44  hostCached   i32  of cachedTokens, those loaded from host memory; since minor 2
 * </pre>
 */
public final class AdmittedRecord {

  private AdmittedRecord() {}

  /** Writes the record. */
  public static void encode(
      RecordBuffer out,
      long stepId,
      RequestView request,
      EntryKind kind,
      int cachedTokens,
      int lostTokens) {
    out.begin(RecordType.ADMITTED)
        .putLong(stepId)
        .putLong(request.number())
        .putInt(Labels.code(kind))
        .putInt(cachedTokens)
        .putInt(lostTokens)
        .putInt(request.hostCachedTokens());
  }

  static void decode(RecordCursor in, Labels labels, JournalVisitor visitor) {
    in.seek(44);
    final int hostCachedTokens = in.remaining() >= 4 ? in.nextCount() : 0;
    visitor.onAdmitted(
        new JournalVisitor.AdmittedRequest(
            in.longAt(16),
            in.longAt(24),
            labels.word(Labels.KIND, in.intAt(32)),
            in.intAt(36),
            hostCachedTokens,
            in.intAt(40)));
  }
}
