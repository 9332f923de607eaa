package dev.headway.events.record;

/**
 * DROPPED, type 17: so many events got no record between the record before and the next, because
 * there was no room. They took no sequence numbers.
 *
 * <pre>
 * 16  records i64
 * </pre>
 */
public final class DroppedRecord {

  private DroppedRecord() {}

  /** Writes the record. */
  public static void encode(RecordBuffer out, long records) {
    out.begin(RecordType.DROPPED).putLong(records);
  }

  static void decode(RecordCursor in, JournalVisitor visitor) {
    visitor.onDropped(in.longAt(16));
  }
}
