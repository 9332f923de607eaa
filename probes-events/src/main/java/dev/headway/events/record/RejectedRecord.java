package dev.headway.events.record;

import dev.headway.api.probe.Rejection;
import dev.headway.api.request.Request;

/**
 * REJECTED, type 3: a request was refused at submission and has no number.
 *
 * <pre>
 * 16  arrivalNs    i64
 * 24  promptTokens i32
 * 28  maxTokens    i32
 * 32  priority     i32
 * 36  reason       i32  code of reject_reason
 * 40  id           text
 *  …  message      text
 *  …  tenant       text or none
 * </pre>
 */
public final class RejectedRecord {

  private RejectedRecord() {}

  /** Writes the record. */
  public static void encode(RecordBuffer out, Rejection rejection) {
    final Request request = rejection.request();
    out.begin(RecordType.REJECTED)
        .putLong(rejection.arrivalNs())
        .putInt(request.promptTokens())
        .putInt(request.stopRule().maxTokens())
        .putInt(request.priority())
        .putInt(Labels.code(rejection.reason()))
        .putText(request.id())
        .putText(rejection.message())
        .putText(request.tenant().orElse(null));
  }

  static void decode(RecordCursor in, Labels labels, JournalVisitor visitor) {
    in.seek(40);
    final String id = in.nextText();
    final String message = in.nextText();
    final String tenant = in.nextNullableText();
    visitor.onRejected(
        id,
        in.longAt(16),
        labels.word(Labels.REJECT_REASON, in.intAt(36)),
        message,
        in.intAt(24),
        in.intAt(28),
        in.intAt(32),
        tenant);
  }
}
