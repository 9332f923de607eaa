package dev.headway.events.record;

import dev.headway.api.request.RequestView;

/**
 * FIRST_TOKEN, type 11: a request's first token is available.
 *
 * <pre>
 * 16  stepId i64
 * 24  number i64
 * 32  nowNs  i64
 * </pre>
 */
public final class FirstTokenRecord {

  private FirstTokenRecord() {}

  /** Writes the record. */
  public static void encode(RecordBuffer out, long stepId, RequestView request, long nowNs) {
    out.begin(RecordType.FIRST_TOKEN).putLong(stepId).putLong(request.number()).putLong(nowNs);
  }

  static void decode(RecordCursor in, JournalVisitor visitor) {
    visitor.onFirstToken(in.longAt(16), in.longAt(24), in.longAt(32));
  }
}
