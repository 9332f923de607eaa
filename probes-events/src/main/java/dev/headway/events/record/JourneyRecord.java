package dev.headway.events.record;

import dev.headway.api.probe.JourneyEvent;

/**
 * JOURNEY, type 20: what the server around the engine saw of a request.
 *
 * <pre>
 * 16  atNs   i64
 * 24  stage  i32  code of journey_stage
 * 28  id     text
 *  …  reason text or none
 *  …  error  text or none
 * </pre>
 */
public final class JourneyRecord {

  private JourneyRecord() {}

  /** Writes the record. */
  public static void encode(RecordBuffer out, JourneyEvent event) {
    out.begin(RecordType.JOURNEY)
        .putLong(event.atNs())
        .putInt(Labels.code(event.stage()))
        .putText(event.requestId())
        .putText(event.reason())
        .putText(event.error());
  }

  static void decode(RecordCursor in, Labels labels, JournalVisitor visitor) {
    in.seek(28);
    final String id = in.nextText();
    final String reason = in.nextNullableText();
    final String error = in.nextNullableText();
    visitor.onJourney(
        id, labels.word(Labels.JOURNEY_STAGE, in.intAt(24)), in.longAt(16), reason, error);
  }
}
