package dev.headway.cuda.executor;

import dev.headway.cuda.kernel.AttentionKernelShape;
import dev.headway.cuda.kernel.DecodeCut;
import dev.headway.cuda.kernel.PrefillCut;
import dev.headway.executor.model.KvLayers;
import dev.headway.executor.model.ModelConfig;
import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * Attention of a model in this executor's sizes: its heads, its groups of layers, and how much work
 * a step can be.
 *
 * <p>Layers of one window work through one list of items, those of the whole context through the
 * last: a list of windows has a place for all that its rows can need, so that the lists behind it
 * lie where a recording has them.
 */
final class ForwardShape {
  private final AttentionKernelShape attention;
  private final DecodeCut cut;
  private final PrefillCut prefillCut;
  private final KvLayers layers;
  private final int[] windows; // by list
  private final int[] listOf; // by group
  private final int[] mostItemsOfRow; // by list
  private final int maxBlocks;
  private final int mostItems;
  private final int mostPrefillItems;
  private final int mostRecords;
  private final boolean hasAdapters;

  ForwardShape(ModelConfig config, ExecutorOptions options) {
    this(attentionOf(config, options.blockSize()), KvLayers.of(config), options);
  }

  ForwardShape(AttentionKernelShape attention, KvLayers layers, ExecutorOptions options) {
    this.attention = attention;
    this.layers = layers;
    cut = new DecodeCut(attention);
    windows =
        IntStream.range(0, layers.groups())
            .map(layers::window)
            .distinct()
            .boxed()
            .sorted(Comparator.comparingInt(window -> window == 0 ? Integer.MAX_VALUE : window))
            .mapToInt(Integer::intValue)
            .toArray();
    listOf = new int[layers.groups()];
    for (int group = 0; group < listOf.length; group++) {
      while (windows[listOf[group]] != layers.window(group)) {
        listOf[group]++;
      }
    }
    mostItemsOfRow = new int[windows.length];
    for (int list = 0; list < windows.length; list++) {
      final long seen =
          windows[list] == 0 ? Long.MAX_VALUE : (long) windows[list] + DecodeCut.PIECE;
      mostItemsOfRow[list] = cut.mostItems((int) Math.min(seen, options.maxModelLen()));
    }
    hasAdapters = !options.adapters().isEmpty();
    maxBlocks = options.maxBlocks();
    mostItems =
        Math.multiplyExact(options.maxSamples(), Arrays.stream(mostItemsOfRow).max().orElse(1));
    prefillCut = new PrefillCut(attention);
    final int rows = options.maxNumBatchedTokens();
    final int keys = options.maxModelLen();
    mostPrefillItems = prefillCut.mostItems(rows, options.maxNumSeqs(), keys);
    mostRecords = prefillCut.mostRecords(rows, keys);
  }

  static AttentionKernelShape attentionOf(ModelConfig config, int blockSize) {
    final dev.headway.executor.model.AttentionShape heads = config.attention();
    return new AttentionKernelShape(
        heads.heads(), heads.kvHeads(), heads.headDim(), blockSize, config.attentionScale());
  }

  AttentionKernelShape attention() {
    return attention;
  }

  /** Which layers share blocks. */
  KvLayers layers() {
    return layers;
  }

  /** Lists of items: windows that differ, >= 1. */
  int lists() {
    return windows.length;
  }

  /** The list of a group of layers. */
  int list(int group) {
    return listOf[group];
  }

  /** Keys that rows see in a list, 0 for all up to their own. */
  int window(int list) {
    return windows[list];
  }

  /** Most items of a row that decodes, in a list. */
  int mostItemsOfRow(int list) {
    return mostItemsOfRow[list];
  }

  /** Whether rows may have an adapter, so that a step says which. */
  boolean hasAdapters() {
    return hasAdapters;
  }

  /** Blocks of the longest context in a group. */
  int maxBlocks() {
    return maxBlocks;
  }

  /** Blocks of the longest context in all groups: the width of the block tables. */
  int tableWidth() {
    return Math.multiplyExact(layers.groups(), maxBlocks);
  }

  /** How rows that decode are cut. */
  DecodeCut cut() {
    return cut;
  }

  /** Most items of decoding that a list of a step can have. */
  int mostItems() {
    return mostItems;
  }

  /** How chunks of several rows are cut. */
  PrefillCut prefillCut() {
    return prefillCut;
  }

  /** Most items of such chunks that a list of a step can have. */
  int mostPrefillItems() {
    return mostPrefillItems;
  }

  /** Most records that a launch of them may leave. */
  int mostRecords() {
    return mostRecords;
  }
}
