package dev.headway.executor.reference;

import dev.headway.api.executor.KvBlockAccess;
import dev.headway.executor.model.KvLayers;
import dev.headway.executor.model.ModelConfig;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.Arrays;

/**
 * Keys and values of all layers in blocks. The slot of a token is {@code block * blockSize +
 * position % blockSize}; a layer keeps the {@code kvDim} elements of slot after slot. Layers of
 * different groups lie at one place in different blocks ({@link KvLayers}).
 *
 * <p>Blocks from {@code numBlocks} on are the host's: only copies read and write them.
 *
 * <p>Every element is NaN until written: a read before the write shows as a failed request, not as
 * a slightly wrong one.
 */
final class PagedKv implements KvBlockAccess {

  private final int blockSize;
  private final int kvDim;
  private final KvLayers layers;
  private final float[][] keys;
  private final float[][] values;

  PagedKv(ModelConfig config, int blockSize, int numBlocks, int hostBlocks) {
    this.blockSize = blockSize;
    this.kvDim = config.attention().kvDim();
    this.layers = KvLayers.of(config);
    final long elements = ((long) numBlocks + hostBlocks) * blockSize * kvDim;
    if (elements > Integer.MAX_VALUE - 8) {
      throw new IllegalArgumentException(
          "the keys of a layer must fit a Java array: numBlocks="
              + numBlocks
              + ", hostBlocks="
              + hostBlocks
              + ", blockSize="
              + blockSize
              + ", elements per token="
              + kvDim
              + "; give fewer numBlocks or hostBlocks");
    }
    keys = new float[layers.slots()][(int) elements];
    values = new float[layers.slots()][(int) elements];
    for (int slot = 0; slot < keys.length; slot++) {
      Arrays.fill(keys[slot], Float.NaN);
      Arrays.fill(values[slot], Float.NaN);
    }
  }

  /** Which layers share blocks. */
  KvLayers layers() {
    return layers;
  }

  float[] keys(int layer) {
    return keys[layers.slot(layer)];
  }

  float[] values(int layer) {
    return values[layers.slot(layer)];
  }

  /** Index of a token's first element, the same in keys and values of every layer. */
  int offset(int[] blockTable, int position) {
    return (blockTable[position / blockSize] * blockSize + position % blockSize) * kvDim;
  }

  @Override
  public int blockBytes() {
    return Math.multiplyExact(Float.BYTES * 2 * keys.length, blockSize * kvDim);
  }

  @Override
  public String layout() {
    return "f32 little-endian, layers="
        + keys.length
        + " of keys [slots="
        + blockSize
        + "][kvDim="
        + kvDim
        + "], values alike"
        + (layers.areFull() ? "" : " (" + layers + ")");
  }

  @Override
  public void read(int block, ByteBuffer target) {
    final FloatBuffer floats = target.slice().order(ByteOrder.LITTLE_ENDIAN).asFloatBuffer();
    final int length = blockSize * kvDim;
    for (int slot = 0; slot < keys.length; slot++) {
      floats.put(keys[slot], block * length, length);
      floats.put(values[slot], block * length, length);
    }
    target.position(target.position() + blockBytes());
  }

  @Override
  public void write(int block, ByteBuffer source) {
    final FloatBuffer floats = source.slice().order(ByteOrder.LITTLE_ENDIAN).asFloatBuffer();
    final int length = blockSize * kvDim;
    for (int slot = 0; slot < keys.length; slot++) {
      floats.get(keys[slot], block * length, length);
      floats.get(values[slot], block * length, length);
    }
    source.position(source.position() + blockBytes());
  }

  void copyBlock(int source, int target) {
    final int length = blockSize * kvDim;
    for (int slot = 0; slot < keys.length; slot++) {
      System.arraycopy(keys[slot], source * length, keys[slot], target * length, length);
      System.arraycopy(values[slot], source * length, values[slot], target * length, length);
    }
  }

  void zeroBlock(int block) {
    final int length = blockSize * kvDim;
    for (int slot = 0; slot < keys.length; slot++) {
      Arrays.fill(keys[slot], block * length, (block + 1) * length, 0);
      Arrays.fill(values[slot], block * length, (block + 1) * length, 0);
    }
  }
}
