package dev.headway.cuda.kernel;

/**
 * The decode kernel of a shape: numbers that {@code attention_decode.cu} was compiled with.
 *
 * @param columns blocks of 8 query heads that a unit of work has
 * @param warps warps of a block
 * @param stages pieces of 16 keys that each warp has room for
 */
record DecodeKernelShape(int headDim, int columns, int warps, int stages) {
  private static final int HEADS_PER_COLUMN = 8;

  /** What the kernels were given registers for. */
  static final int MOST_BLOCKS_PER_MULTIPROCESSOR = 3;

  static DecodeKernelShape of(AttentionKernelShape shape) {
    final int headDim = shape.headDim();
    final boolean wide = shape.heads() / shape.kvHeads() > HEADS_PER_COLUMN;
    final int columns = wide && (headDim == 64 || headDim == 128) ? 2 : 1;
    final int warps = headDim == 256 ? 2 : 4;
    final int stages = headDim <= 64 ? 4 : 2;
    return new DecodeKernelShape(headDim, columns, warps, stages);
  }

  String kernelName() {
    return "attention_decode_d" + headDim + "_n" + columns;
  }

  int threads() {
    return 32 * warps;
  }

  /** Units of work that an item has: KV heads, times what their groups of query heads need. */
  int unitsPerItem(AttentionKernelShape shape) {
    final int group = shape.heads() / shape.kvHeads();
    return shape.kvHeads() * Shapes.ceilDiv(group, HEADS_PER_COLUMN * columns);
  }

  /** Dynamic shared memory of a block: {@code DecodeShape::SHARED}. */
  int sharedBytes() {
    final int ring = warps * stages * 2 * 16 * Shapes.sharedPitch(headDim) * Short.BYTES;
    final int merge = warps * HEADS_PER_COLUMN * columns * (headDim + 4 + 2) * Float.BYTES;
    final int weights = warps * columns * 16 * HEADS_PER_COLUMN * Short.BYTES;
    return Math.max(ring, merge) + weights + 16;
  }
}
