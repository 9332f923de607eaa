package dev.headway.events.record;

/**
 * KV_REMOVED, type 15: a cached block was taken for other content. Level full.
 *
 * <pre>
 * 16  contentHash i64
 * 24  group       i32
 * </pre>
 */
public record KvRemovedRecord(long contentHash, int group) {

  static void encode(RecordBuffer out, long contentHash, int group) {
    out.begin(RecordType.KV_REMOVED).putLong(contentHash).putInt(group);
  }

  static KvRemovedRecord decode(RecordCursor in) {
    return new KvRemovedRecord(in.longAt(16), in.intAt(24));
  }
}
