package dev.headway.events.record;

/**
 * RUN_ENDED, type 18: the probe was closed. Always the last record; without it the writer died or
 * is still at work.
 *
 * <pre>
 * 16  atNs i64
 * </pre>
 *
 * @param atNs latest instant that the writer was notified of
 */
public record RunEndedRecord(long atNs) {

  /** Writes the record. */
  public static void encode(RecordBuffer out, long atNs) {
    out.begin(RecordType.RUN_ENDED).putLong(atNs);
  }

  static RunEndedRecord decode(RecordCursor in) {
    return new RunEndedRecord(in.longAt(16));
  }
}
