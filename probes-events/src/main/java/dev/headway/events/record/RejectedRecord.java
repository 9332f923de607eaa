package dev.headway.events.record;

import dev.headway.api.probe.RejectedEvent;
import dev.headway.api.request.Request;
import org.jspecify.annotations.Nullable;

/**
 * REJECTED, type 3: a request was refused at submission and has no number.
 *
 * <pre>
 * 16  atNs         i64  its arrival
 * 24  promptTokens i32
 * 28  maxTokens    i32
 * 32  priority     i32
 * 36  reason       i32  code of reject_reason
 * 40  requestId    text
 *  …  message      text
 *  …  tenant       text or none
 * </pre>
 *
 * @param atNs instant of its arrival and refusal
 */
public record RejectedRecord(
    String requestId,
    long atNs,
    String reason,
    String message,
    int promptTokens,
    int maxTokens,
    int priority,
    @Nullable String tenant) {

  /** The record of an event, without its bytes. */
  public static RejectedRecord of(RejectedEvent event) {
    final Request request = event.request();
    return new RejectedRecord(
        request.id(),
        event.atNs(),
        event.reason().label(),
        event.message(),
        request.promptTokens(),
        request.stopRule().maxTokens(),
        request.priority(),
        request.tenant());
  }

  static void encode(RecordBuffer out, RejectedEvent event) {
    final Request request = event.request();
    out.begin(RecordType.REJECTED)
        .putLong(event.atNs())
        .putInt(request.promptTokens())
        .putInt(request.stopRule().maxTokens())
        .putInt(request.priority())
        .putInt(Labels.code(event.reason()))
        .putText(request.id())
        .putMessage(event.message())
        .putText(request.tenant());
  }

  static RejectedRecord decode(RecordCursor in, Labels labels) {
    in.seek(40);
    final String id = in.nextText();
    final String message = in.nextText();
    final String tenant = in.nextNullableText();
    return new RejectedRecord(
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
