package dev.headway.events.record;

import dev.headway.api.kvcache.KvBlocksStored;

/**
 * KV_STORED, type 14: KV blocks became findable. Level full. More than {@link #MAX_BLOCKS} blocks
 * take several records, each the parent of the next.
 *
 * <pre>
 * 16  requestNumber i64
 * 24  parent        i64  content hash of the block before these, if hasParent
 * 32  firstToken    i32
 * 36  hasParent     i32  0 or 1
 * 40  count         i32
 * 44  group         i32
 * 48  contentHash   i64, count times
 * </pre>
 *
 * @param firstToken position in the request of the first token of these blocks
 * @param count how many hashes of {@code contentHashes} count
 * @param contentHashes reused: valid during the call that hands the record over
 * @param hasParent whether {@code parent} means anything
 */
@SuppressWarnings("ArrayRecordComponent") // handed through once: no copies
public record KvStoredRecord(
    long requestNumber,
    int firstToken,
    int count,
    long[] contentHashes,
    boolean hasParent,
    long parent,
    int group) {

  /** Most blocks in a record. */
  public static final int MAX_BLOCKS = 65_536;

  private static final int HASHES_OFFSET = 48;

  /** The record of blocks, without its bytes; its hashes are in {@code hashes} if they fit. */
  public static KvStoredRecord of(KvBlocksStored blocks, long[] hashes) {
    final int count = blocks.count();
    final long[] target = hashes.length < count ? new long[count] : hashes;
    for (int index = 0; index < count; index++) {
      target[index] = blocks.contentHash(index);
    }
    return new KvStoredRecord(
        blocks.request().number(),
        blocks.firstToken(),
        count,
        target,
        blocks.hasParent(),
        blocks.hasParent() ? blocks.parentContentHash() : 0,
        blocks.group());
  }

  /**
   * Writes a record about the blocks from {@code from} on.
   *
   * @return the first block that is not in it
   */
  static int encode(RecordBuffer out, KvBlocksStored blocks, int from) {
    final int count = Math.min(MAX_BLOCKS, blocks.count() - from);
    final boolean hasParent = from > 0 || blocks.hasParent();
    final long parent =
        from > 0
            ? blocks.contentHash(from - 1)
            : blocks.hasParent() ? blocks.parentContentHash() : 0;
    out.begin(RecordType.KV_STORED)
        .putLong(blocks.request().number())
        .putLong(parent)
        .putInt(blocks.firstToken() + from * blocks.blockSize())
        .putInt(hasParent ? 1 : 0)
        .putInt(count)
        .putInt(blocks.group());
    for (int index = from; index < from + count; index++) {
      out.putLong(blocks.contentHash(index));
    }
    return from + count;
  }

  /** Reads the record; its hashes are in {@code hashes} if they fit. */
  static KvStoredRecord decode(RecordCursor in, long[] hashes) {
    final int count = in.intAt(40);
    in.require(HASHES_OFFSET, 8L * count);
    final long[] target = hashes.length < count ? new long[count] : hashes;
    for (int index = 0; index < count; index++) {
      target[index] = in.longAt(HASHES_OFFSET + 8 * index);
    }
    return new KvStoredRecord(
        in.longAt(16), in.intAt(32), count, target, in.intAt(36) != 0, in.longAt(24), in.intAt(44));
  }
}
