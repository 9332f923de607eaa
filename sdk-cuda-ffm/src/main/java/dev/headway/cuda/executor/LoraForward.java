package dev.headway.cuda.executor;

import dev.headway.cuda.device.CudaDevice;
import dev.headway.cuda.device.CudaStream;
import dev.headway.cuda.device.MemoryUse;
import dev.headway.cuda.executor.AdapterWeights.Matrices;
import dev.headway.cuda.kernel.LoraKernels;

/**
 * The launches of what adapters add to the outputs of products, each row its own adapter's: two
 * behind each product that any adapter changes, and none in an executor without adapters or a step
 * of which no row has one. Device thread only.
 */
final class LoraForward {
  private final LoraKernels kernels;
  private final AdapterWeights weights;
  private final long low;
  private long adapters;
  private int rows;
  private int layer;

  /**
   * Takes memory for what lies between the two matrices, if there are adapters.
   *
   * @param tokens most rows of a step
   */
  LoraForward(CudaDevice device, LoraKernels kernels, AdapterWeights weights, int tokens) {
    this.kernels = kernels;
    this.weights = weights;
    final long columns = weights.mostColumns();
    low =
        columns == 0
            ? 0
            : device
                .allocate(
                    new MemoryUse("rows of adapters", "maxNumBatchedTokens"),
                    Float.BYTES * columns * tokens)
                .address();
  }

  /**
   * Turns to a pass.
   *
   * @param block the uploaded batch
   */
  void begin(BatchLayout batch, long block) {
    adapters = block + 4L * batch.adapterAt;
    rows = batch.hasAdapters ? batch.rows : 0;
  }

  /** Turns to a layer. */
  void layer(int index) {
    layer = index;
  }

  /** Enqueues what is added to {@code y}, which the product has made of {@code x}. */
  void add(CudaStream stream, AdaptedProduct product, long y, long x) {
    final Matrices matrices = rows == 0 ? null : weights.of(layer, product);
    if (matrices == null) {
      return;
    }
    kernels.shrink(
        stream,
        low,
        x,
        matrices.down(),
        weights.scales(),
        adapters,
        rows,
        matrices.inputs(),
        matrices.columns());
    kernels.expand(
        stream,
        y,
        low,
        matrices.up(),
        adapters,
        rows,
        matrices.outputs(),
        weights.rank(),
        matrices.columns(),
        matrices.second(),
        matrices.third());
  }
}
