package dev.headway.events.record;

/**
 * KV_REMOVED, type 15: a cached block was taken for other content. Level full.
 *
 * <pre>
 * 16  contentHash i64
 * 24  group       i32
 * </pre>
 */
public final class KvRemovedRecord {

  private KvRemovedRecord() {}

  /** Writes the record. */
  public static void encode(RecordBuffer out, long contentHash, int group) {
    out.begin(RecordType.KV_REMOVED).putLong(contentHash).putInt(group);
  }

  static void decode(RecordCursor in, JournalVisitor visitor) {
    visitor.onKvRemoved(in.longAt(16), in.intAt(24));
  }
}
