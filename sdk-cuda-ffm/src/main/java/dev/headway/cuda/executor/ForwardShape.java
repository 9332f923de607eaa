package dev.headway.cuda.executor;

import dev.headway.cuda.kernel.AttentionKernelShape;
import dev.headway.cuda.kernel.DecodeCut;
import dev.headway.executor.model.ModelConfig;

/** Attention of a model in this executor's sizes: its heads, and how much work decoding can be. */
final class ForwardShape {
  private final AttentionKernelShape attention;
  private final DecodeCut cut;
  private final int mostItems;

  ForwardShape(ModelConfig config, ExecutorOptions options) {
    attention = attentionOf(config, options.blockSize());
    cut = new DecodeCut(attention);
    mostItems = Math.multiplyExact(options.maxNumSeqs(), cut.mostItems(options.maxModelLen()));
  }

  static AttentionKernelShape attentionOf(ModelConfig config, int blockSize) {
    final dev.headway.executor.model.AttentionShape heads = config.attention();
    return new AttentionKernelShape(heads.heads(), heads.kvHeads(), heads.headDim(), blockSize);
  }

  AttentionKernelShape attention() {
    return attention;
  }

  /** How rows that decode are cut. */
  DecodeCut cut() {
    return cut;
  }

  /** Most items of decoding that a step can have. */
  int mostItems() {
    return mostItems;
  }
}
