package dev.headway.events.record;

import dev.headway.api.probe.ScoredEvent;

/**
 * SCORED, type 19: a decision, a policy has ranked a waiting request. Level debug.
 *
 * <pre>
 * 16  stepId        i64
 * 24  requestNumber i64
 * 32  score         f64
 * </pre>
 *
 * @param score the smallest is considered first
 */
public record ScoredRecord(long stepId, long requestNumber, double score) {

  /** The record of an event, without its bytes. */
  public static ScoredRecord of(ScoredEvent event) {
    return new ScoredRecord(event.stepId(), event.request().number(), event.score());
  }

  static void encode(RecordBuffer out, ScoredEvent event) {
    out.begin(RecordType.SCORED)
        .putLong(event.stepId())
        .putLong(event.request().number())
        .putLong(Double.doubleToRawLongBits(event.score()));
  }

  static ScoredRecord decode(RecordCursor in) {
    return new ScoredRecord(in.longAt(16), in.longAt(24), Double.longBitsToDouble(in.longAt(32)));
  }
}
