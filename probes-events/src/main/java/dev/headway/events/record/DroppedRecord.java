package dev.headway.events.record;

/**
 * DROPPED, type 17: so many events got no record between the record before and the next, because
 * there was no room. They took no sequence numbers.
 *
 * <pre>
 * 16  records i64
 * </pre>
 */
public record DroppedRecord(long records) {

  /** Writes the record. */
  public static void encode(RecordBuffer out, long records) {
    out.begin(RecordType.DROPPED).putLong(records);
  }

  static DroppedRecord decode(RecordCursor in) {
    return new DroppedRecord(in.longAt(16));
  }
}
