package dev.headway.executor.model;

import dev.headway.api.kvcache.KvGroup;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How the layers of a model share KV blocks: layers of one window are split into groups of equal
 * size, each with block tables of its own. A block holds the tokens of one group, and each of its
 * layers has a slot in it, so all blocks are alike and any group can take any. Slots that the last
 * groups of a window do not fill stay unused.
 *
 * <p>A model whose layers are all alike has one group of all layers. Immutable; any thread.
 *
 * <p>Source: {@code _get_kv_cache_groups_uniform_page_size} of {@code kv_cache_utils.py} in vLLM.
 */
public final class KvLayers {

  /** Layers of the commonest window are not split if they are fewer than so many of the rarest. */
  private static final double FEW_MORE = 1.5;

  private final int slots;
  private final int[] groupOf;
  private final int[] slotOf;
  private final List<Integer> windows = new ArrayList<>();

  private KvLayers(ModelConfig config) {
    final Map<Integer, List<Integer>> layersOfWindow = new LinkedHashMap<>();
    for (int layer = 0; layer < config.layers(); layer++) {
      layersOfWindow.computeIfAbsent(config.windowOf(layer), w -> new ArrayList<>()).add(layer);
    }
    slots = slots(layersOfWindow.values().stream().mapToInt(List::size).sorted().toArray());
    groupOf = new int[config.layers()];
    slotOf = new int[config.layers()];
    layersOfWindow.forEach(this::split);
  }

  /** The groups of a model, for contexts of up to its longest. */
  public static KvLayers of(ModelConfig config) {
    return new KvLayers(config);
  }

  private static int slots(int[] sizes) {
    final int most = sizes[sizes.length - 1];
    return most < FEW_MORE * sizes[0] ? most : sizes[0];
  }

  /** Every n-th layer is in one group: neighbours are in different ones, as in vLLM. */
  private void split(int window, List<Integer> layers) {
    final int count = Math.ceilDiv(layers.size(), slots);
    for (int i = 0; i < layers.size(); i++) {
      groupOf[layers.get(i)] = windows.size() + i % count;
      slotOf[layers.get(i)] = i / count;
    }
    for (int i = 0; i < count; i++) {
      windows.add(window);
    }
  }

  /** Layers of the model. */
  public int layers() {
    return groupOf.length;
  }

  /** Groups, and so block tables of a request, >= 1. */
  public int groups() {
    return windows.size();
  }

  /** Layers that a block has room for, >= 1. */
  public int slots() {
    return slots;
  }

  /** Keys and values of a token in a block of one group. */
  public long elementsPerToken(AttentionShape attention) {
    return 2L * slots * attention.kvDim();
  }

  /** The group of a layer, in [0, {@link #groups}). */
  public int group(int layer) {
    return groupOf[layer];
  }

  /** Where a layer lies in the blocks of its group, in [0, {@link #slots}). */
  public int slot(int layer) {
    return slotOf[layer];
  }

  /** The window of a group's layers, in tokens; 0 if they attend to the whole context. */
  public int window(int group) {
    return windows.get(group);
  }

  /** Whether all layers attend to the whole context. */
  public boolean areFull() {
    return windows.size() == 1 && windows.getFirst() == 0;
  }

  /**
   * Refuses a host tier where there are windows: the engine's saves blocks of one group of full
   * attention.
   *
   * @throws IllegalArgumentException if there are host blocks and a window
   */
  public void requireNoHostTier(int hostBlocks) {
    if (hostBlocks != 0 && !areFull()) {
      throw new IllegalArgumentException(
          "hostBlocks must be 0 for a model with sliding windows, whose blocks the host tier does"
              + " not take: hostBlocks="
              + hostBlocks
              + ", layers="
              + this);
    }
  }

  /** What the engine knows of the groups, in their order. */
  public List<KvGroup> kvGroups(int blockSize) {
    final List<KvGroup> groups = new ArrayList<>();
    for (int window : windows) {
      groups.add(
          window == 0
              ? new KvGroup.FullAttention(blockSize)
              : new KvGroup.SlidingWindow(blockSize, window));
    }
    return groups;
  }

  /** For people: the groups, and how long their layers remember. */
  @Override
  public String toString() {
    final Map<Integer, Integer> counts = new LinkedHashMap<>();
    windows.forEach(window -> counts.merge(window, 1, Integer::sum));
    final List<String> parts = new ArrayList<>();
    counts.forEach(
        (window, count) ->
            parts.add(
                count
                    + (count == 1 ? " group of " : " groups of ")
                    + slots
                    + (slots == 1 ? " layer, " : " layers, ")
                    + (window == 0 ? "whole context" : "window of " + window + " tokens")));
    return String.join("; ", parts);
  }
}
