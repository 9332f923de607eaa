package dev.headway.kvcache;

import dev.headway.api.kvcache.ItemKey;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The contents of a {@link PrefixTree}, one record of ints each, so that looking at a content
 * touches two cache lines (for blocks of 16) and not one for each of its fields.
 *
 * <pre>
 * 0 hash, low half | 1 hash, high half | 2 parent | 3 pins
 * 4 firstBlock     | 5 lastBlock       | 6 next in the free list
 * 7 tokens, blockSize of them
 * </pre>
 *
 * <p>One thread; allocates only to grow.
 */
final class PrefixNodeTable {

  static final int NONE = -1;

  private static final int HASH_LOW = 0;
  private static final int HASH_HIGH = 1;
  private static final int PARENT = 2;
  private static final int PINS = 3;
  private static final int FIRST_BLOCK = 4;
  private static final int LAST_BLOCK = 5;
  private static final int NEXT = 6;
  private static final int TOKENS = 7;

  private final int blockSize;
  private final int stride;
  private int[] records = {};
  private int capacity;
  private int freeList = NONE;

  /** Item keys of contents; of no length until there is one. */
  private @Nullable Object[] items = {};

  PrefixNodeTable(int blockSize, int initialCapacity) {
    this.blockSize = blockSize;
    this.stride = TOKENS + blockSize;
    grow(initialCapacity);
  }

  int capacity() {
    return capacity;
  }

  boolean isFull() {
    return freeList == NONE;
  }

  /** Takes a record out of the free list: no pins, no blocks. The table must not be full. */
  int take() {
    final int content = freeList;
    freeList = next(content);
    setPins(content, 0);
    setFirstBlock(content, NONE);
    setLastBlock(content, NONE);
    return content;
  }

  /** Puts a record back. */
  void giveBack(int content) {
    if (content < items.length) {
      items[content] = null;
    }
    setNext(content, freeList);
    freeList = content;
  }

  /** Makes room for {@code newCapacity} records; those there keep their numbers. */
  void grow(int newCapacity) {
    records = Arrays.copyOf(records, Math.multiplyExact(newCapacity, stride));
    for (int content = newCapacity - 1; content >= capacity; content--) {
      giveBack(content);
    }
    capacity = newCapacity;
  }

  long hash(int content) {
    final int at = content * stride;
    return (records[at + HASH_LOW] & 0xffff_ffffL) | (long) records[at + HASH_HIGH] << 32;
  }

  void setHash(int content, long hash) {
    final int at = content * stride;
    records[at + HASH_LOW] = (int) hash;
    records[at + HASH_HIGH] = (int) (hash >>> 32);
  }

  int parent(int content) {
    return records[content * stride + PARENT];
  }

  void setParent(int content, int parent) {
    records[content * stride + PARENT] = parent;
  }

  int pins(int content) {
    return records[content * stride + PINS];
  }

  void setPins(int content, int pins) {
    records[content * stride + PINS] = pins;
  }

  void addPins(int content, int change) {
    records[content * stride + PINS] += change;
  }

  int firstBlock(int content) {
    return records[content * stride + FIRST_BLOCK];
  }

  void setFirstBlock(int content, int block) {
    records[content * stride + FIRST_BLOCK] = block;
  }

  int lastBlock(int content) {
    return records[content * stride + LAST_BLOCK];
  }

  void setLastBlock(int content, int block) {
    records[content * stride + LAST_BLOCK] = block;
  }

  int next(int content) {
    return records[content * stride + NEXT];
  }

  void setNext(int content, int next) {
    records[content * stride + NEXT] = next;
  }

  /** Reads both ends of a record, and returns a number without meaning. */
  int touch(int content) {
    final int at = content * stride;
    return records[at] + records[at + stride - 1];
  }

  boolean hasTokens(int content, int[] source, int offset) {
    final int from = content * stride + TOKENS;
    return Arrays.equals(records, from, from + blockSize, source, offset, offset + blockSize);
  }

  void setTokens(int content, int[] source, int offset) {
    System.arraycopy(source, offset, records, content * stride + TOKENS, blockSize);
  }

  /** Whether a content has these item keys; null for none. */
  boolean hasItems(int content, @Nullable List<ItemKey> keys) {
    return Objects.equals(content < items.length ? items[content] : null, keys);
  }

  /** Sets the item keys of a content that has none. */
  void setItems(int content, List<ItemKey> keys) {
    if (content >= items.length) {
      items = Arrays.copyOf(items, capacity);
    }
    items[content] = keys;
  }
}
