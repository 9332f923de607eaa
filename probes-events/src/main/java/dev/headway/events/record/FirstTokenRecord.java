package dev.headway.events.record;

import dev.headway.api.probe.FirstTokenEvent;

/**
 * FIRST_TOKEN, type 11: the first token of a request is available.
 *
 * <pre>
 * 16  stepId        i64
 * 24  requestNumber i64
 * 32  atNs          i64
 * </pre>
 */
public record FirstTokenRecord(long stepId, long requestNumber, long atNs) {

  /** The record of an event, without its bytes. */
  public static FirstTokenRecord of(FirstTokenEvent event) {
    return new FirstTokenRecord(event.stepId(), event.request().number(), event.atNs());
  }

  static void encode(RecordBuffer out, FirstTokenEvent event) {
    out.begin(RecordType.FIRST_TOKEN)
        .putLong(event.stepId())
        .putLong(event.request().number())
        .putLong(event.atNs());
  }

  static FirstTokenRecord decode(RecordCursor in) {
    return new FirstTokenRecord(in.longAt(16), in.longAt(24), in.longAt(32));
  }
}
