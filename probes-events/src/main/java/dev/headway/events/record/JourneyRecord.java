package dev.headway.events.record;

import dev.headway.api.probe.JourneyEvent;
import org.jspecify.annotations.Nullable;

/**
 * JOURNEY, type 20: what the server around the engine reported of a request.
 *
 * <pre>
 * 16  atNs      i64
 * 24  stage     i32  code of journey_stage
 * 28  requestId text
 *  …  reason    text or none
 *  …  error     text or none
 * </pre>
 *
 * @param reason of an abort, or null
 * @param error what failed, or null
 */
public record JourneyRecord(
    String requestId, String stage, long atNs, @Nullable String reason, @Nullable String error) {

  /** The record of an event, without its bytes. */
  public static JourneyRecord of(JourneyEvent event) {
    return new JourneyRecord(
        event.requestId(), event.stage().label(), event.atNs(), event.reason(), event.error());
  }

  static void encode(RecordBuffer out, JourneyEvent event) {
    out.begin(RecordType.JOURNEY)
        .putLong(event.atNs())
        .putInt(Labels.code(event.stage()))
        .putText(event.requestId())
        .putMessage(event.reason())
        .putMessage(event.error());
  }

  static JourneyRecord decode(RecordCursor in, Labels labels) {
    in.seek(28);
    final String id = in.nextText();
    final String reason = in.nextNullableText();
    final String error = in.nextNullableText();
    return new JourneyRecord(
        id, labels.word(Labels.JOURNEY_STAGE, in.intAt(24)), in.longAt(16), reason, error);
  }
}
