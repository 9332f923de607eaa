package dev.headway.events.record;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.probe.UnblockedEvent;

/**
 * UNBLOCKED, type 6: a decision, the individual wait reason of a request was cleared. Level full.
 *
 * <pre>
 * 16  stepId        i64
 * 24  requestNumber i64
 *
 *  since 2.3
 * 32  atNs          i64  smallest i64 for a decision of a step
 *
 *  since 2.4
 * 40  promptTokens  i32
 * </pre>
 *
 * @param atNs since when it is held from outside no longer; absent for a decision of a step
 * @param promptTokens tokens of its prompt, which grows with each turn of a session; absent in
 *     older journals
 */
public record UnblockedRecord(long stepId, long requestNumber, long atNs, long promptTokens) {

  /** A decision of a step. */
  public UnblockedRecord(long stepId, long requestNumber) {
    this(stepId, requestNumber, ABSENT, ABSENT);
  }

  /** The record of an event, without its bytes. */
  public static UnblockedRecord of(UnblockedEvent event) {
    return new UnblockedRecord(
        event.stepId(), event.request().number(), event.atNs(), event.request().promptTokens());
  }

  static void encode(RecordBuffer out, UnblockedEvent event) {
    out.begin(RecordType.UNBLOCKED)
        .putLong(event.stepId())
        .putLong(event.request().number())
        .putLong(event.atNs())
        .putInt(event.request().promptTokens());
  }

  static UnblockedRecord decode(RecordCursor in) {
    return new UnblockedRecord(
        in.longAt(16), in.longAt(24), in.longOrAbsentAt(32), in.countOrAbsentAt(40));
  }
}
