package dev.headway.events.record;

import dev.headway.api.probe.AdmissionsClosedEvent;

/**
 * ADMISSIONS_CLOSED, type 7: a decision, the reason shared by the waiting requests that were not
 * examined has changed. Level full.
 *
 * <pre>
 * 16  stepId        i64
 * 24  blockerNumber i64  -1 for none
 * 32  reason        i32  code of wait_reason
 * </pre>
 *
 * @param blockerNumber the head of the queue that was refused, or absent
 */
public record AdmissionsClosedRecord(long stepId, String reason, long blockerNumber) {

  /** The record of an event, without its bytes. */
  public static AdmissionsClosedRecord of(AdmissionsClosedEvent event) {
    return new AdmissionsClosedRecord(
        event.stepId(), event.reason().label(), Numbers.of(event.blocker()));
  }

  static void encode(RecordBuffer out, AdmissionsClosedEvent event) {
    out.begin(RecordType.ADMISSIONS_CLOSED)
        .putLong(event.stepId())
        .putNumber(Numbers.of(event.blocker()))
        .putInt(Labels.code(event.reason()));
  }

  static AdmissionsClosedRecord decode(RecordCursor in, Labels labels) {
    return new AdmissionsClosedRecord(
        in.longAt(16), labels.word(Labels.WAIT_REASON, in.intAt(32)), in.numberAt(24));
  }
}
