package dev.headway.cuda.executor;

import dev.headway.cuda.device.DeviceInfo;
import dev.headway.cuda.kernel.AttentionKernelShape;
import dev.headway.cuda.kernel.AttentionKernels;
import dev.headway.executor.model.ModelConfig;

/**
 * How the attention of decoding rows is cut: into as many parts as fill the device, by the batch
 * size alone, so that padding a batch changes no result.
 */
final class ForwardShape {
  private static final int MAX_PARTS = 64;
  private static final int MIN_KEYS_PER_PART = 64;
  private static final int BLOCKS_PER_MULTIPROCESSOR = 2;

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
    final int blocks = BatchSizes.holding(rows, maxNumSeqs) * attention.kvHeads();
    final int longest = Math.min(MAX_PARTS, Math.max(1, maxModelLen / MIN_KEYS_PER_PART));
    return Math.clamp((wantedBlocks + blocks - 1L) / blocks, 1, longest);
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
