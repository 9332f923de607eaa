package dev.headway.executor.vector;

import dev.headway.api.executor.ExecutorShape;
import dev.headway.executor.model.Model;
import dev.headway.executor.model.ModelLayout;
import dev.headway.executor.model.ModelWeights;
import dev.headway.executor.model.QuantizedMatrix;
import dev.headway.executor.model.TensorSpec;

/**
 * The native memory that a model takes. It is asked for before anything is allocated: the system
 * promises more than it has, and ends the process once the promise is used.
 *
 * @param numBlocks KV blocks, the null block included
 * @param hostBlocks KV blocks of the host tier
 * @param cacheBytes of all KV blocks; {@link Long#MAX_VALUE} if it is more
 * @param weightBytes of the matrices as they are kept; padding comes on top
 */
record MemoryNeed(int numBlocks, int hostBlocks, long cacheBytes, long weightBytes) {

  /** What a model needs with the blocks of an executor. */
  static MemoryNeed of(Model model, ExecutorShape executor) {
    final long blocks = (long) executor.kvCache().numBlocks() + executor.hostBlocks();
    return new MemoryNeed(
        executor.kvCache().numBlocks(),
        executor.hostBlocks(),
        product(blocks, executor.kvCache().bytesPerBlock().orElse(0)),
        weightBytes(model));
  }

  /** Bytes of the matrices as they are stored; norms and biases lie in the heap. */
  static long weightBytes(Model model) {
    long bytes = 0;
    for (TensorSpec tensor : ModelLayout.of(model.config())) {
      if (tensor.shape().size() > 1) {
        bytes += bytes(model.weights(), tensor);
      }
    }
    return bytes;
  }

  private static long bytes(ModelWeights weights, TensorSpec tensor) {
    final QuantizedMatrix matrix = weights.quantized(tensor.name()).orElse(null);
    if (matrix == null || tensor.name().equals(ModelLayout.EMBEDDING)) { // rows of it are looked up
      return tensor.elements() * weights.type(tensor.name()).bytes();
    }
    final long floats = (long) matrix.rows() * matrix.groups() * (matrix.hasOffsets() ? 2 : 1);
    return tensor.elements() + Float.BYTES * floats;
  }

  private static long product(long blocks, long bytesPerBlock) {
    return Math.multiplyHigh(blocks, bytesPerBlock) == 0 && blocks * bytesPerBlock >= 0
        ? blocks * bytesPerBlock
        : Long.MAX_VALUE;
  }

  /**
   * Refuses what can never fit. Free memory is passed in: the system's figure does not count the
   * page cache, which the system gives up for others and in which the files of the weights lie.
   *
   * @throws IllegalArgumentException if {@code memory} is less
   */
  void requireWithin(PhysicalMemory memory) {
    if (cacheBytes > memory.totalBytes() - weightBytes) {
      throw new IllegalArgumentException(
          "KV cache and weights must fit the machine's memory: numBlocks="
              + numBlocks
              + ", hostBlocks="
              + hostBlocks
              + ", bytes of the cache="
              + cacheBytes
              + ", bytes of the weights="
              + weightBytes
              + ", bytes of the machine="
              + memory.totalBytes()
              + ", free="
              + memory.freeBytes()
              + "; give fewer numBlocks or hostBlocks, or a smaller model");
    }
  }
}
