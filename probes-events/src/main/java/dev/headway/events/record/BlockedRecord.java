package dev.headway.events.record;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.probe.BlockedEvent;

/**
 * BLOCKED, type 5: a decision, a request was examined and got nothing, for a new reason. Level
 * full.
 *
 * <pre>
 * 16  stepId        i64
 * 24  requestNumber i64
 * 32  blockerNumber i64  -1 for none
 * 40  reason        i32  code of wait_reason
 * 44  needed        i32
 * 48  free          i32
 *
 *  since 2.3
 * 52  atNs          i64  smallest i64 for a decision of a step
 * </pre>
 *
 * @param blockerNumber the request that blocked it, or absent
 * @param needed KV blocks or tokens that it needs; 0 if neither applies
 * @param free how many of those there were
 * @param atNs since when it is held from outside any step; absent for a decision of a step
 */
public record BlockedRecord(
    long stepId,
    long requestNumber,
    String reason,
    long blockerNumber,
    int needed,
    int free,
    long atNs) {

  /** A decision of a step. */
  public BlockedRecord(
      long stepId, long requestNumber, String reason, long blockerNumber, int needed, int free) {
    this(stepId, requestNumber, reason, blockerNumber, needed, free, ABSENT);
  }

  /** The record of an event, without its bytes. */
  public static BlockedRecord of(BlockedEvent event) {
    return new BlockedRecord(
        event.stepId(),
        event.request().number(),
        event.reason().label(),
        Numbers.of(event.blocker()),
        event.needed(),
        event.free(),
        event.atNs());
  }

  static void encode(RecordBuffer out, BlockedEvent event) {
    out.begin(RecordType.BLOCKED)
        .putLong(event.stepId())
        .putLong(event.request().number())
        .putNumber(Numbers.of(event.blocker()))
        .putInt(Labels.code(event.reason()))
        .putInt(event.needed())
        .putInt(event.free())
        .putLong(event.atNs());
  }

  static BlockedRecord decode(RecordCursor in, Labels labels) {
    return new BlockedRecord(
        in.longAt(16),
        in.longAt(24),
        labels.word(Labels.WAIT_REASON, in.intAt(40)),
        in.numberAt(32),
        in.intAt(44),
        in.intAt(48),
        in.longOrAbsentAt(52));
  }
}
