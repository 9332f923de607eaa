package dev.headway.cuda.kernel;

import org.jspecify.annotations.Nullable;

/**
 * Pages of one layer: {@code [block][kvHead][blockSize][headDim]}, bf16 or e4m3 codes.
 *
 * @param keys device address of block 0, a multiple of 16
 * @param values device address of block 0, a multiple of 16
 * @param blockStride values from one block to the next, the same for both; a multiple of 8. More
 *     than a block has in one layer where the other layers of a block lie between.
 * @param scales of codes; null if pages are bf16
 */
public record LayerCache(long keys, long values, int blockStride, @Nullable PageScales scales) {

  /** Pages in bf16. */
  public LayerCache(long keys, long values, int blockStride) {
    this(keys, values, blockStride, null);
  }

  /** Validates the components. */
  public LayerCache {
    if (blockStride < 8 || blockStride % 8 != 0) {
      throw new IllegalArgumentException(
          "blockStride must be a multiple of 8, so that rows are read 16 bytes at a time:"
              + " blockStride="
              + blockStride);
    }
  }
}
