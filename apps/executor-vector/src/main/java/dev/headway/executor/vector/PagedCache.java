package dev.headway.executor.vector;

import dev.headway.api.executor.KvBlockAccess;
import dev.headway.executor.model.AttentionShape;
import dev.headway.executor.model.KvLayers;
import dev.headway.executor.model.ModelConfig;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Keys and values of all layers in blocks, as floats in native memory. Workers write different
 * tokens at one time; nothing reads meanwhile.
 *
 * <pre>
 * slot, block, KV head:  keys   [headDim][blockSize]   a vector is one dimension of some positions
 *                         values [blockSize][headDim]   a vector is some dimensions of one position
 * </pre>
 *
 * <p>A slot is a layer's, or one layer's of each group ({@link KvLayers}).
 *
 * <p>Blocks from {@code numBlocks} on are the host's: only copies read and write them. Every
 * element is NaN until written, so a read before the write shows as a failed request.
 */
final class PagedCache implements KvBlockAccess {

  private static final byte BYTE_OF_NAN = (byte) 0xff;

  private final KvLayers layers;
  private final int slots;
  private final int blocks;
  private final int kvHeads;
  private final int headDim;
  private final int blockSize;
  private final long headBytes;
  private final MemorySegment keys;
  private final MemorySegment values;

  /** As large as what a layer has of a block. Copied, where filling would need a new slice. */
  private final MemorySegment zeros;

  PagedCache(ModelConfig config, int blockSize, int numBlocks, int hostBlocks, Arena arena) {
    final AttentionShape attention = config.attention();
    this.layers = KvLayers.of(config);
    this.slots = layers.slots();
    this.blocks = Math.addExact(numBlocks, hostBlocks);
    this.kvHeads = attention.kvHeads();
    this.headDim = attention.headDim();
    this.blockSize = blockSize;
    this.headBytes = (long) Float.BYTES * headDim * blockSize;
    this.keys = newCache(arena);
    this.values = newCache(arena);
    this.zeros = arena.allocate(kvHeads * headBytes, Float.BYTES);
  }

  /** The last vectors of the last block are read beyond its end. */
  private MemorySegment newCache(Arena arena) {
    final long floats = headBytes / Float.BYTES * kvHeads * blocks * slots + Lanes.WIDEST;
    final MemorySegment cache = arena.allocate(ValueLayout.JAVA_FLOAT, floats);
    return cache.fill(BYTE_OF_NAN);
  }

  int blockSize() {
    return blockSize;
  }

  /** Which layers share blocks. */
  KvLayers layers() {
    return layers;
  }

  MemorySegment keys() {
    return keys;
  }

  MemorySegment values() {
    return values;
  }

  /** Where a head of a block begins, in bytes, in keys and in values. */
  long at(int layer, int block, int kvHead) {
    return inSlot(layers.slot(layer), block) + kvHead * headBytes;
  }

  private long inSlot(int slot, int block) {
    return ((long) slot * blocks + block) * kvHeads * headBytes;
  }

  /** Stores a token's keys and values, those of head after head. */
  void write(int layer, int block, int slot, float[] source, int keysFrom, int valuesFrom) {
    for (int head = 0; head < kvHeads; head++) {
      final long at = at(layer, block, head);
      final long firstKey = at / Float.BYTES + slot;
      for (int d = 0; d < headDim; d++) {
        keys.setAtIndex(
            ValueLayout.JAVA_FLOAT,
            firstKey + (long) d * blockSize,
            source[keysFrom + head * headDim + d]);
      }
      MemorySegment.copy(
          source,
          valuesFrom + head * headDim,
          values,
          ValueLayout.JAVA_FLOAT,
          at + (long) Float.BYTES * slot * headDim,
          headDim);
    }
  }

  @Override
  public int blockBytes() {
    return Math.toIntExact(2L * slots * kvHeads * headBytes);
  }

  @Override
  public String layout() {
    return "f32 "
        + ByteOrder.nativeOrder()
        + ", layers="
        + slots
        + " of keys [kvHeads="
        + kvHeads
        + "][headDim="
        + headDim
        + "][slots="
        + blockSize
        + "], values [kvHeads][slots][headDim]"
        + (layers.areFull() ? "" : " (" + layers + ")");
  }

  @Override
  public void read(int block, ByteBuffer target) {
    final MemorySegment bytes = MemorySegment.ofBuffer(target);
    final long part = kvHeads * headBytes;
    long at = 0;
    for (int slot = 0; slot < slots; slot++, at += 2 * part) {
      MemorySegment.copy(keys, inSlot(slot, block), bytes, at, part);
      MemorySegment.copy(values, inSlot(slot, block), bytes, at + part, part);
    }
    target.position(target.position() + blockBytes());
  }

  @Override
  public void write(int block, ByteBuffer source) {
    final MemorySegment bytes = MemorySegment.ofBuffer(source);
    final long part = kvHeads * headBytes;
    long at = 0;
    for (int slot = 0; slot < slots; slot++, at += 2 * part) {
      MemorySegment.copy(bytes, at, keys, inSlot(slot, block), part);
      MemorySegment.copy(bytes, at + part, values, inSlot(slot, block), part);
    }
    source.position(source.position() + blockBytes());
  }

  void copyBlock(int source, int target) {
    final long bytes = kvHeads * headBytes;
    for (int slot = 0; slot < slots; slot++) {
      MemorySegment.copy(keys, inSlot(slot, source), keys, inSlot(slot, target), bytes);
      MemorySegment.copy(values, inSlot(slot, source), values, inSlot(slot, target), bytes);
    }
  }

  void zeroBlock(int block) {
    final long bytes = kvHeads * headBytes;
    for (int slot = 0; slot < slots; slot++) {
      MemorySegment.copy(zeros, 0, keys, inSlot(slot, block), bytes);
      MemorySegment.copy(zeros, 0, values, inSlot(slot, block), bytes);
    }
  }
}
