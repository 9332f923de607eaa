package dev.headway.events.record;

import dev.headway.api.request.RequestView;

/**
 * UNBLOCKED, type 6: a request's own reason to wait no longer holds. Level full.
 *
 * <pre>
 * 16  stepId i64
 * 24  number i64
 * </pre>
 */
public final class UnblockedRecord {

  private UnblockedRecord() {}

  /** Writes the record. */
  public static void encode(RecordBuffer out, long stepId, RequestView request) {
    out.begin(RecordType.UNBLOCKED).putLong(stepId).putLong(request.number());
  }

  static void decode(RecordCursor in, JournalVisitor visitor) {
    visitor.onUnblocked(in.longAt(16), in.longAt(24));
  }
}
