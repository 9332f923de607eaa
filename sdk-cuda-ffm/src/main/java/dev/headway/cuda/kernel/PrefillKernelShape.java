package dev.headway.cuda.kernel;

/**
 * The prefill kernel of a shape: numbers that {@code attention_prefill.cu} was compiled with.
 *
 * @param heads query heads of a block, which share keys and values
 * @param keys keys of a tile
 */
record PrefillKernelShape(int headDim, int heads, int keys) {
  static final int THREADS = 128;

  static PrefillKernelShape of(AttentionKernelShape shape) {
    final int headDim = shape.headDim();
    final int group = shape.heads() / shape.kvHeads();
    return headDim == 256
        ? new PrefillKernelShape(headDim, 1, 32)
        : new PrefillKernelShape(headDim, group % 2 == 0 ? 2 : 1, 64);
  }

  String kernelName() {
    return "attention_prefill_d" + headDim + "_h" + heads;
  }

  /** Blocks that an item has. */
  int blocksPerTile(AttentionKernelShape shape) {
    return shape.heads() / heads;
  }

  /** Dynamic shared memory of a block: {@code PrefillShape::SHARED}. */
  int sharedBytes() {
    final int rows = heads * PrefillCut.TILE_ROWS + 2 * 2 * keys;
    return rows * Shapes.sharedPitch(headDim) * Short.BYTES + 16;
  }
}
