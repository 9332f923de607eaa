package dev.headway.cuda.executor;

import dev.headway.cuda.kernel.AttentionKernelShape;
import dev.headway.cuda.kernel.DecodeCut;
import dev.headway.cuda.kernel.PrefillCut;
import dev.headway.executor.model.KvLayers;
import dev.headway.executor.model.ModelConfig;

/** Attention of a model in this executor's sizes: its heads, and how much work a step can be. */
final class ForwardShape {
  private final AttentionKernelShape attention;
  private final DecodeCut cut;
  private final int mostItems;
  private final PrefillCut prefillCut;
  private final int mostPrefillItems;
  private final int mostRecords;

  ForwardShape(ModelConfig config, ExecutorOptions options) {
    this(attentionOf(config, options.blockSize()), options);
  }

  ForwardShape(AttentionKernelShape attention, ExecutorOptions options) {
    this.attention = attention;
    cut = new DecodeCut(attention);
    mostItems = Math.multiplyExact(options.maxSamples(), cut.mostItems(options.maxModelLen()));
    prefillCut = new PrefillCut(attention);
    final int rows = options.maxNumBatchedTokens();
    final int keys = options.maxModelLen();
    mostPrefillItems = prefillCut.mostItems(rows, options.maxNumSeqs(), keys);
    mostRecords = prefillCut.mostRecords(rows, keys);
  }

  static AttentionKernelShape attentionOf(ModelConfig config, int blockSize) {
    final dev.headway.executor.model.AttentionShape heads = config.attention();
    return new AttentionKernelShape(heads.heads(), heads.kvHeads(), heads.headDim(), blockSize);
  }

  /**
   * Refuses a model that the kernels cannot run: Gemma's norms and activation, and layers that do
   * not attend to the whole of its longest context.
   */
  static void requireKernels(ModelConfig config) {
    if (config.family().hasOutputNorms()) {
      throw new IllegalArgumentException(
          "the kernels must have the norms and the activation of the model: no kernels for "
              + config.family().architecture()
              + "; run the model on the CPU");
    }
    if (config.family().hasSinks()) {
      throw new IllegalArgumentException(
          "the kernels must have the sinks and the experts of the model: no kernels for "
              + config.family().architecture()
              + "; run the model on the CPU");
    }
    final KvLayers layers = KvLayers.of(config);
    if (!layers.areFull()) {
      throw new IllegalArgumentException(
          "layers must attend to the whole context: the kernels have no sliding windows: layers="
              + layers
              + ", maxModelLen="
              + config.maxPositions()
              + "; set maxModelLen to the window at most, or run the model on the CPU");
    }
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

  /** How chunks of several rows are cut. */
  PrefillCut prefillCut() {
    return prefillCut;
  }

  /** Most items of such chunks that a step can have. */
  int mostPrefillItems() {
    return mostPrefillItems;
  }

  /** Most records that a launch of them may leave. */
  int mostRecords() {
    return mostRecords;
  }
}
