package dev.headway.events.record;

import dev.headway.api.probe.UnblockedEvent;

/**
 * UNBLOCKED, type 6: a decision, the individual wait reason of a request was cleared. Level full.
 *
 * <pre>
 * 16  stepId        i64
 * 24  requestNumber i64
 * </pre>
 */
public record UnblockedRecord(long stepId, long requestNumber) {

  /** The record of an event, without its bytes. */
  public static UnblockedRecord of(UnblockedEvent event) {
    return new UnblockedRecord(event.stepId(), event.request().number());
  }

  static void encode(RecordBuffer out, UnblockedEvent event) {
    out.begin(RecordType.UNBLOCKED).putLong(event.stepId()).putLong(event.request().number());
  }

  static UnblockedRecord decode(RecordCursor in) {
    return new UnblockedRecord(in.longAt(16), in.longAt(24));
  }
}
