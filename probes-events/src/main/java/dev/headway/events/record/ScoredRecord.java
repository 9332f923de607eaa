package dev.headway.events.record;

import dev.headway.api.request.RequestView;

/**
 * SCORED, type 19: a policy has ranked a waiting request. Level debug.
 *
 * <pre>
 * 16  stepId i64
 * 24  number i64
 * 32  score  f64
 * </pre>
 */
public final class ScoredRecord {

  private ScoredRecord() {}

  /** Writes the record. */
  public static void encode(RecordBuffer out, long stepId, RequestView candidate, double score) {
    out.begin(RecordType.SCORED)
        .putLong(stepId)
        .putLong(candidate.number())
        .putLong(Double.doubleToRawLongBits(score));
  }

  static void decode(RecordCursor in, JournalVisitor visitor) {
    visitor.onScored(in.longAt(16), in.longAt(24), Double.longBitsToDouble(in.longAt(32)));
  }
}
