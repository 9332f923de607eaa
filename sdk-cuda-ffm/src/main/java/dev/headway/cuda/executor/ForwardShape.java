package dev.headway.cuda.executor;

import dev.headway.cuda.device.DeviceInfo;
import dev.headway.cuda.kernel.AttentionKernelShape;
import dev.headway.cuda.kernel.AttentionKernels;
import dev.headway.executor.model.ModelConfig;

/**
 * How the attention of decoding rows is cut: into as many parts as fill the device, and into enough
 * that one long context among short ones does not keep the others waiting; by the batch size alone,
 * so that padding a batch changes no result.
 */
final class ForwardShape {
  private static final int MAX_PARTS = 64;
  private static final int MIN_KEYS_PER_PART = 64;
  private static final int BLOCKS_PER_MULTIPROCESSOR = 2;

  /**
   * Fewest parts of batches of up to so many rows. With one part a single block walks through the
   * longest context while the device waits: on an H200, 8B, 39 rows of 1,024 tokens and one of
   * 8,000 take 34.2 ms in one part and 12.2 in eight, where 40 of 1,024 take 9.6 and 9.0. Uniform
   * batches pay for it from 64 rows on: 5 % at 64, 6 % at 128, 3 % at 256.
   */
  private static final int[][] FEWEST_PARTS = {{8, 16}, {48, 8}, {128, 4}, {Integer.MAX_VALUE, 2}};

  private final AttentionKernelShape attention;
  private final int maxNumSeqs;
  private final int maxModelLen;
  private final int wantedBlocks;

  ForwardShape(ModelConfig config, ExecutorOptions options, DeviceInfo device) {
    attention = attentionOf(config, options.blockSize());
    maxNumSeqs = options.maxNumSeqs();
    maxModelLen = options.maxModelLen();
    wantedBlocks = BLOCKS_PER_MULTIPROCESSOR * device.multiprocessors();
  }

  static AttentionKernelShape attentionOf(ModelConfig config, int blockSize) {
    final dev.headway.executor.model.AttentionShape heads = config.attention();
    return new AttentionKernelShape(heads.heads(), heads.kvHeads(), heads.headDim(), blockSize);
  }

  AttentionKernelShape attention() {
    return attention;
  }

  /** Parts of each row's keys when {@code rows} rows decode. */
  int parts(int rows) {
    final int size = BatchSizes.holding(rows, maxNumSeqs);
    final int blocks = size * attention.kvHeads();
    final int most = Math.min(MAX_PARTS, Math.max(1, maxModelLen / MIN_KEYS_PER_PART));
    final int filling = (wantedBlocks + blocks - 1) / blocks;
    return Math.min(most, Math.max(filling, fewestParts(size)));
  }

  private static int fewestParts(int size) {
    int band = 0;
    while (size > FEWEST_PARTS[band][0]) {
      band++;
    }
    return FEWEST_PARTS[band][1];
  }

  /** Scratch that the largest cut of any batch needs. */
  long partialBytes(AttentionKernels kernels) {
    long most = 0;
    for (int rows = 1; rows <= maxNumSeqs; rows++) {
      most = Math.max(most, kernels.partialBytes(rows, parts(rows)));
    }
    return most;
  }
}
