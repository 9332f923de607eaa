package dev.headway.events.record;

import dev.headway.api.kvcache.KvBlocksStored;
import dev.headway.api.request.RequestView;

/**
 * KV_STORED, type 14: KV blocks became findable. Level full. More than {@link #MAX_BLOCKS} blocks
 * take several records, each the parent of the next.
 *
 * <pre>
 * 16  number      i64
 * 24  parent      i64  content hash of the block before these, if hasParent
 * 32  firstToken  i32
 * 36  hasParent   i32  0 or 1
 * 40  count       i32
 * 44  group       i32
 * 48  contentHash i64, count times
 * </pre>
 */
public final class KvStoredRecord {

  /** Most blocks in a record. */
  public static final int MAX_BLOCKS = 65_536;

  private static final int HASHES_OFFSET = 48;

  private KvStoredRecord() {}

  /**
   * Writes a record about the blocks from {@code from} on.
   *
   * @return the first block that is not in it
   */
  public static int encode(RecordBuffer out, RequestView request, KvBlocksStored blocks, int from) {
    final int count = Math.min(MAX_BLOCKS, blocks.count() - from);
    final boolean hasParent = from > 0 || blocks.hasParent();
    final long parent =
        from > 0
            ? blocks.contentHash(from - 1)
            : blocks.hasParent() ? blocks.parentContentHash() : 0;
    out.begin(RecordType.KV_STORED)
        .putLong(request.number())
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

  /** Returns the hashes, in {@code hashes} if they fit. */
  static long[] decode(RecordCursor in, long[] hashes, JournalVisitor visitor) {
    final int count = in.intAt(40);
    in.require(HASHES_OFFSET, 8L * count);
    final long[] target = hashes.length < count ? new long[count] : hashes;
    for (int index = 0; index < count; index++) {
      target[index] = in.longAt(HASHES_OFFSET + 8 * index);
    }
    visitor.onKvStored(
        in.longAt(16), in.intAt(32), count, target, in.intAt(36) != 0, in.longAt(24), in.intAt(44));
    return target;
  }
}
