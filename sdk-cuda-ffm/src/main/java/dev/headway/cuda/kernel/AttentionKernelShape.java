package dev.headway.cuda.kernel;

import java.util.List;
import java.util.stream.Collectors;

/**
 * Heads of a model and blocks of its cache.
 *
 * @param heads query heads
 * @param kvHeads heads of keys and values; divides {@code heads}
 * @param headDim 8, 16, 32, 64, 96, 128 or 256
 * @param blockSize tokens per block of the cache
 * @param scale what scores are multiplied by
 */
public record AttentionKernelShape(
    int heads, int kvHeads, int headDim, int blockSize, float scale) {

  /** Head dimensions that the kernels of decode and prefill are compiled for. */
  private static final List<Integer> HEAD_DIMS = List.of(8, 16, 32, 64, 96, 128, 256);

  /** Validates the components. */
  public AttentionKernelShape {
    if (heads < 1 || kvHeads < 1 || heads % kvHeads != 0 || heads > Shapes.MAX_GRID_Y) {
      throw new IllegalArgumentException(
          "heads must be a multiple of kvHeads, both >= 1: heads="
              + heads
              + ", kvHeads="
              + kvHeads);
    }
    if (!HEAD_DIMS.contains(headDim)) {
      throw new IllegalArgumentException(
          "headDim must be one of "
              + HEAD_DIMS.stream().map(String::valueOf).collect(Collectors.joining(", "))
              + ", for which there are kernels: headDim="
              + headDim);
    }
    if (blockSize < 1) {
      throw new IllegalArgumentException("blockSize must be >= 1: blockSize=" + blockSize);
    }
  }

  /** Scores are multiplied by 1 / sqrt(headDim). */
  public AttentionKernelShape(int heads, int kvHeads, int headDim, int blockSize) {
    this(heads, kvHeads, headDim, blockSize, (float) (1 / Math.sqrt(headDim)));
  }

  /** Values of a row of queries, keys and values. */
  public int qkvWidth() {
    return (heads + 2 * kvHeads) * headDim;
  }

  /** Keys, and again values, of a block in one layer: how many numbers they are. */
  public int blockValues() {
    return Math.multiplyExact(Math.multiplyExact(kvHeads, blockSize), headDim);
  }

  /** Bytes of the keys, and again of the values, of {@code blocks} blocks in one layer. */
  public long cacheBytes(int blocks) {
    return 2L * blocks * blockValues();
  }
}
