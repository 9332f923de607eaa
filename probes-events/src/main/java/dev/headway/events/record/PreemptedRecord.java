package dev.headway.events.record;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.probe.PreemptedEvent;

/**
 * PREEMPTED, type 8: a decision, a running request was preempted, back into the waiting queue.
 *
 * <pre>
 * 16  stepId            i64
 * 24  requestNumber     i64
 * 32  beneficiaryNumber i64  -1 for none
 * 40  cause             i32  code of preemption_cause
 * 44  lostTokens        i32
 * 48  freedBlocks       i32
 * 52  missingBlocks     i32  not in the first journals of schema 2.0
 * </pre>
 *
 * @param beneficiaryNumber the request that gets its blocks or seat, or absent
 * @param lostTokens computed tokens given up
 * @param missingBlocks blocks that the beneficiary lacked, or absent
 */
public record PreemptedRecord(
    long stepId,
    long requestNumber,
    String cause,
    long beneficiaryNumber,
    int lostTokens,
    int freedBlocks,
    long missingBlocks) {

  /** The record of an event, without its bytes. */
  public static PreemptedRecord of(PreemptedEvent event) {
    return new PreemptedRecord(
        event.stepId(),
        event.request().number(),
        event.cause().label(),
        Numbers.of(event.beneficiary()),
        event.lostTokens(),
        event.freedBlocks(),
        event.missingBlocks());
  }

  static void encode(RecordBuffer out, PreemptedEvent event) {
    out.begin(RecordType.PREEMPTED)
        .putLong(event.stepId())
        .putLong(event.request().number())
        .putNumber(Numbers.of(event.beneficiary()))
        .putInt(Labels.code(event.cause()))
        .putInt(event.lostTokens())
        .putInt(event.freedBlocks())
        .putInt(event.missingBlocks());
  }

  static PreemptedRecord decode(RecordCursor in, Labels labels) {
    in.seek(52);
    return new PreemptedRecord(
        in.longAt(16),
        in.longAt(24),
        labels.word(Labels.PREEMPTION_CAUSE, in.intAt(40)),
        in.numberAt(32),
        in.intAt(44),
        in.intAt(48),
        in.remaining() >= 4 ? in.nextCount() : ABSENT);
  }
}
