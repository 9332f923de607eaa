package dev.headway.scheduler.model;

import dev.headway.api.config.Compatibility;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.request.PrefixReuse;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** Blocks of one group with full attention. A prefix is keyed by its content as a string. */
final class ModelBlocks {

  /** Blocks that a step may still write. */
  private record Fenced(long step, List<Integer> blocks) {}

  final List<Integer> free = new ArrayList<>();
  private final List<ModelRequest> holders = new ArrayList<>();
  private final List<Fenced> quarantine = new ArrayList<>();
  private final Map<String, List<Integer>> blocksOfPrefix = new HashMap<>();
  private final Map<Integer, String> prefixOfBlock = new HashMap<>();
  private final Map<Integer, ModelTenure.Writer> writerOfBlock = new HashMap<>();
  private final KvCacheShape shape;
  private final ModelDrafts drafts;
  private final boolean caching;
  private final boolean fenced;
  private final int maxModelLen;
  private long acknowledged;

  ModelBlocks(SchedulerConfig config, KvCacheShape shape, ModelDrafts drafts) {
    this.shape = shape;
    this.drafts = drafts;
    caching = config.prefixCache().isEnabled();
    fenced = config.compatibility() == Compatibility.HEADWAY;
    maxModelLen = config.limits().maxModelLen();
    for (int block = 1; block < shape.numBlocks(); block++) {
      free.add(block);
    }
  }

  boolean isEmpty() {
    return free.size() == shape.usableBlocks();
  }

  /** 9.3, 9.4: blocks from the left until the first miss, never the last known token. */
  List<Integer> lookUp(ModelRequest request) {
    final List<Integer> hits = new ArrayList<>();
    if (!caching || request.request.prefixReuse() == PrefixReuse.SKIPPED) {
      return hits;
    }
    while ((hits.size() + 1) * shape.blockSize() <= request.known() - 1) {
      final List<Integer> found =
          blocksOfPrefix.getOrDefault(prefix(request, hits.size() + 1), List.of());
      if (found.isEmpty()) {
        break;
      }
      hits.add(found.getFirst());
    }
    if (drafts.eagle() && !hits.isEmpty()) {
      hits.removeLast();
    }
    return hits;
  }

  /** 6.2, 6.3: new blocks for so many tokens behind those owned or hit. */
  int fresh(int tokens, int owned) {
    return Math.max(0, shape.blocksFor(Math.min(tokens, maxModelLen)) - owned);
  }

  int revived(List<Integer> hits) {
    return (int) hits.stream().filter(free::contains).count();
  }

  /** Gives a request the blocks it hit, then new ones. */
  void admit(ModelRequest request, List<Integer> hits, int fresh, long step) {
    free.removeAll(hits);
    request.tenure = new ModelTenure(request, step);
    hits.forEach(block -> request.tenure.finds(writerOfBlock.get(block)));
    request.blocks = new ArrayList<>(hits);
    request.cachedBlocks = hits.size();
    request.foundBlocks = hits.size();
    holders.add(request);
    take(request, fresh);
  }

  void take(ModelRequest request, int fresh) {
    for (int n = 0; n < fresh; n++) {
      final int block = free.removeFirst();
      forget(block);
      request.blocks.add(block);
    }
  }

  /** 8.1, 8.2: full blocks of known tokens can be found from now on. */
  void cache(ModelRequest request, int computed, long step) {
    final int length = Math.min(computed, request.known()) - lag();
    while (caching && (request.cachedBlocks + 1) * shape.blockSize() <= length) {
      final int block = request.blocks.get(request.cachedBlocks);
      request.cachedBlocks++;
      final String prefix = prefix(request, request.cachedBlocks);
      blocksOfPrefix.computeIfAbsent(prefix, key -> new ArrayList<>()).add(block);
      prefixOfBlock.put(block, prefix);
      writerOfBlock.put(block, new ModelTenure.Writer(request.tenure, step));
    }
  }

  /** Only the first {@code computed} tokens are sure to be computed; by modules fewer. */
  void forgetBeyond(ModelRequest request, int computed) {
    final int found = Math.min(request.foundBlocks * shape.blockSize(), computed);
    final int sure = Math.max(found, computed - lag()) / shape.blockSize();
    for (int b = sure; b < request.cachedBlocks; b++) {
      forget(request.blocks.get(b));
    }
    request.cachedBlocks = Math.min(request.cachedBlocks, sure);
  }

  private int lag() {
    return Math.max(0, drafts.prefillLookahead() - 1);
  }

  /** Whether it rests on what this step was to write, for {@code writer} or, if null, itself. */
  boolean restsOn(ModelRequest request, ModelRequest writer, long step) {
    return request.tenure != null && request.tenure.restsOn(writer, step);
  }

  /** Nobody finds what this step or a later one was to write, unless somebody holds it. */
  void distrust(long step) {
    final Set<Integer> held = new HashSet<>();
    holders.forEach(request -> held.addAll(request.blocks));
    for (int block = 1; block < shape.numBlocks(); block++) {
      if (prefixOfBlock.containsKey(block)
          && !held.contains(block)
          && writerOfBlock.get(block).step() >= step) {
        forget(block);
      }
    }
  }

  void release(ModelRequest request) {
    final List<Integer> blocks = request.blocks;
    holders.remove(request);
    request.blocks = new ArrayList<>();
    request.cachedBlocks = 0;
    if (fenced && request.lastStep > acknowledged && !blocks.isEmpty()) {
      quarantine.add(new Fenced(request.lastStep, blocks));
    } else {
      giveBack(blocks);
    }
  }

  /**
   * Blocks that would be free at once if {@code holder} gave up all but the {@code wanted} ones.
   */
  int gained(ModelRequest holder, long lastStep, List<Integer> wanted) {
    if (fenced && lastStep > acknowledged) {
      return 0;
    }
    final Set<Integer> elsewhere = new HashSet<>(wanted);
    holders.stream()
        .filter(other -> other != holder)
        .forEach(other -> elsewhere.addAll(other.blocks));
    quarantine.forEach(run -> elsewhere.addAll(run.blocks()));
    return (int) holder.blocks.stream().filter(block -> !elsewhere.contains(block)).count();
  }

  /** 7.3: last block first; those without content to the front, the others to the end. */
  private void giveBack(List<Integer> blocks) {
    final Set<Integer> taken = new HashSet<>();
    holders.forEach(request -> taken.addAll(request.blocks));
    quarantine.forEach(run -> taken.addAll(run.blocks()));
    int front = 0;
    for (int block : blocks.reversed()) {
      if (!taken.contains(block) && prefixOfBlock.containsKey(block)) {
        free.addLast(block);
      } else if (!taken.contains(block)) {
        free.add(front++, block);
      }
    }
  }

  /** No step up to this one writes any more. */
  void acknowledge(long step) {
    acknowledged = Math.max(acknowledged, step);
    while (!quarantine.isEmpty() && quarantine.getFirst().step() <= acknowledged) {
      giveBack(quarantine.removeFirst().blocks());
    }
  }

  boolean reset() {
    if (isEmpty()) {
      blocksOfPrefix.clear();
      prefixOfBlock.clear();
    }
    return isEmpty();
  }

  int quarantined() {
    final Set<Integer> blocks = new HashSet<>();
    quarantine.forEach(run -> blocks.addAll(run.blocks()));
    holders.forEach(request -> blocks.removeAll(request.blocks));
    return blocks.size();
  }

  int cachedContents() {
    return blocksOfPrefix.size();
  }

  /** 5.6: leading blocks that everybody with blocks has. */
  int commonPrefix(List<ModelRequest> running) {
    int common = 0;
    if (caching && !running.isEmpty()) {
      for (int block : running.getFirst().blocks) {
        if (!holders.stream().allMatch(request -> request.blocks.contains(block))) {
          break;
        }
        common++;
      }
    }
    return common;
  }

  private void forget(int block) {
    final String prefix = prefixOfBlock.remove(block);
    if (prefix != null) {
      blocksOfPrefix.get(prefix).remove((Integer) block);
      blocksOfPrefix.remove(prefix, List.of());
    }
  }

  private String prefix(ModelRequest request, int blocks) {
    return request.adapter()
        + "/"
        + Objects.requireNonNullElse(request.request.cacheSalt(), "")
        + request.tokens.subList(0, blocks * shape.blockSize());
  }
}
