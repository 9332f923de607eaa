package dev.headway.events.record;

import dev.headway.api.kvcache.KvBlocksStored;

/**
 * KV_BATCH, type 22: what KV_STORED and KV_REMOVED say, of everything that came in a row; a step of
 * decodes stores a block for one request in sixteen and may have to take as many from others. Level
 * full.
 *
 * <pre>
 * 16  count  i32  entries
 * 20  unused i32
 * 24  entries, one behind the other
 *
 * removed                                stored
 *  0  kind        i8   0                  0  kind        i8   1, or 2 with a parent
 *  1  group       i8                      1  group       i8
 *  2  unused      i16                     2  count       i16
 *  4  unused      i32                     4  firstToken  i32
 *  8  contentHash i64                     8  number      i64
 *                                        16  parent      i64  0 without one
 *                                        24  contentHash i64, count times
 * </pre>
 *
 * <p>Entries that do not fit this layout take separate records.
 */
public final class KvBatchRecord {

  private static final int ENTRIES_OFFSET = 24;
  private static final int REMOVED_BYTES = 16;
  private static final int STORED_BYTES = 24;
  private static final int REMOVED = 0;
  private static final int STORED = 1;
  private static final int STORED_BEHIND = 2;
  private static final int MAX_GROUP = 127;
  private static final int MAX_BLOCKS = 64;
  private static final int FULL_BYTES = 32 << 10;

  private final RecordBuffer buffer = new RecordBuffer(FULL_BYTES + 1_024);
  private int count;

  /** Makes an empty batch. */
  public KvBatchRecord() {}

  /** Whether there is nothing in it. */
  public boolean isEmpty() {
    return count == 0;
  }

  /** Whether it should be handed over before more is added. */
  public boolean isFull() {
    return buffer.length() >= FULL_BYTES;
  }

  /** Whether these blocks can be part of a batch. */
  public static boolean fits(KvBlocksStored blocks) {
    return blocks.count() <= MAX_BLOCKS && fits(blocks.group());
  }

  /** Whether a removal of this group can be part of a batch. */
  public static boolean fits(int group) {
    return group <= MAX_GROUP;
  }

  /** Adds blocks that fit. */
  public void addStored(KvBlocksStored blocks) {
    final boolean hasParent = blocks.hasParent();
    next()
        .putByte(hasParent ? STORED_BEHIND : STORED)
        .putByte(blocks.group())
        .putShort(blocks.count())
        .putInt(blocks.firstToken())
        .putLong(blocks.request().number())
        .putLong(hasParent ? blocks.parentContentHash() : 0);
    for (int index = 0; index < blocks.count(); index++) {
      buffer.putLong(blocks.contentHash(index));
    }
  }

  /** Adds a removal that fits. */
  public void addRemoved(long contentHash, int group) {
    next().putByte(REMOVED).putByte(group).putShort(0).putInt(0).putLong(contentHash);
  }

  /** Returns the record to be handed over; the batch is empty then. */
  public RecordBuffer take() {
    RecordBuffer.I32.set(buffer.array(), RecordBuffer.HEADER_BYTES, count);
    count = 0;
    return buffer;
  }

  private RecordBuffer next() {
    if (count++ == 0) {
      buffer.begin(RecordType.KV_BATCH).putInt(0).putInt(0);
    }
    return buffer;
  }

  /** Returns the hashes, in {@code hashes} if they fit. */
  static long[] decode(RecordCursor in, long[] hashes, RecordVisitor visitor) {
    requireWhole(in);
    long[] target = hashes;
    int at = ENTRIES_OFFSET;
    for (int left = in.intAt(RecordBuffer.HEADER_BYTES); left > 0; left--) {
      final int kind = in.byteAt(at);
      final int group = in.byteAt(at + 1);
      if (kind == REMOVED) {
        visitor.onKvRemoved(new KvRemovedRecord(in.longAt(at + 8), group));
        at += REMOVED_BYTES;
      } else {
        final int blocks = in.shortAt(at + 2);
        target = target.length < blocks ? new long[blocks] : target;
        for (int index = 0; index < blocks; index++) {
          target[index] = in.longAt(at + STORED_BYTES + 8 * index);
        }
        visitor.onKvStored(
            new KvStoredRecord(
                in.longAt(at + 8),
                in.intAt(at + 4),
                blocks,
                target,
                kind == STORED_BEHIND,
                in.longAt(at + 16),
                group));
        at += STORED_BYTES + 8 * blocks;
      }
    }
    return target;
  }

  /** Nothing is reported from a record that is not whole. */
  private static void requireWhole(RecordCursor in) {
    int at = ENTRIES_OFFSET;
    for (int left = in.intAt(RecordBuffer.HEADER_BYTES); left > 0; left--) {
      final int kind = in.byteAt(at);
      if (kind > STORED_BEHIND) {
        throw new MalformedRecordException("expected kind 0, 1 or 2, found " + kind);
      }
      in.require(at, REMOVED_BYTES); // the smaller of the two
      final int blocks = kind == REMOVED ? 0 : in.shortAt(at + 2);
      if (blocks < 0) {
        throw new MalformedRecordException("expected >= 0 blocks, found " + blocks);
      }
      at += kind == REMOVED ? REMOVED_BYTES : STORED_BYTES + 8 * blocks;
      in.require(at, 0);
    }
  }
}
