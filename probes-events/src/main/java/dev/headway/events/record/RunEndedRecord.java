package dev.headway.events.record;

/**
 * RUN_ENDED, type 18: the probe was closed. Always the last record; without it the writer died or
 * is still at work.
 *
 * <pre>
 * 16  nowNs i64  latest instant that the journal heard of
 * </pre>
 */
public final class RunEndedRecord {

  private RunEndedRecord() {}

  /** Writes the record. */
  public static void encode(RecordBuffer out, long nowNs) {
    out.begin(RecordType.RUN_ENDED).putLong(nowNs);
  }

  static void decode(RecordCursor in, JournalVisitor visitor) {
    visitor.onRunEnded(in.longAt(16));
  }
}
