package dev.headway.faultsim.simulation;

import dev.headway.api.kvcache.Allocation;
import dev.headway.api.kvcache.ExternalKv;
import dev.headway.api.kvcache.KvBlockWork;
import dev.headway.api.kvcache.KvCacheManager;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.kvcache.KvDependents;
import dev.headway.api.kvcache.KvResidency;
import dev.headway.api.kvcache.KvSequence;
import dev.headway.api.request.KvCacheRetention;
import dev.headway.api.request.RequestView;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A KV cache in front of another that knows the sequences and the fences, so that blocks can be
 * counted: every one is held by a sequence, or was released and may still be written to, or is
 * free.
 */
final class CheckedKvCache implements KvCacheManager {

  private final RuleBook rules;
  private final List<KvSequence> open = new ArrayList<>();
  private @Nullable KvCacheManager cache;
  private BlockFences fences = new BlockFences(0);

  /** By block: the latest count in which a sequence held it. */
  private int[] heldIn = {};

  private int round;
  private long step;

  CheckedKvCache(RuleBook rules) {
    this.rules = rules;
  }

  /** Sets the cache that it stands in front of. */
  KvCacheManager inFrontOf(KvCacheManager kvCache) {
    cache = kvCache;
    open.clear();
    final int blocks = kvCache.shape().numBlocks();
    heldIn = new int[blocks];
    fences = new BlockFences(blocks);
    return this;
  }

  private KvCacheManager cache() {
    if (cache == null) {
      throw new IllegalStateException("a KV cache must be given first");
    }
    return cache;
  }

  /** Sequences that were opened and not closed. */
  int openSequences() {
    return open.size();
  }

  /** Counts the blocks, if the engine uses it. */
  void check() {
    final KvCacheManager counted = cache;
    if (counted == null) {
      return;
    }
    final int held = markHeld();
    final int free = counted.freeBlocks();
    final int quarantined = counted.quarantinedBlocks();
    final int pinned = counted.pinnedBlocks();
    final int usable = counted.shape().usableBlocks();
    if (free < 0 || quarantined < 0 || pinned < 0 || free + pinned + quarantined + held != usable) {
      rules.violate(
          Rule.BLOCKS_CONSERVED,
          "free + pinned + quarantined + held blocks must be the usable ones: free="
              + free
              + ", pinned="
              + pinned
              + ", quarantined="
              + quarantined
              + ", held="
              + held
              + ", usable="
              + usable);
    }
    final int least = fences.released(heldIn, round);
    final int copied = fences.copied(heldIn, round);
    final int behind = fences.behind(heldIn, round);
    final int most = least + copied + behind;
    if (quarantined < least || quarantined > most) {
      rules.violate(
          Rule.FENCES,
          "released blocks must be in quarantine as long as a step may write to them: quarantined="
              + quarantined
              + ", released="
              + least
              + ", copied="
              + copied
              + ", behind="
              + behind
              + ", "
              + fences);
    }
  }

  /** Marks the blocks that sequences hold; returns how many there are. */
  private int markHeld() {
    round++;
    int held = 0;
    for (int i = 0; i < open.size(); i++) {
      final KvSequence sequence = open.get(i);
      for (int group = 0; group < sequence.groupCount(); group++) {
        for (int at = sequence.blockCount(group) - 1; at >= 0; at--) {
          final int block = sequence.blockId(group, at);
          if (block != 0 && heldIn[block] != round) {
            heldIn[block] = round;
            held++;
          }
        }
      }
    }
    return held;
  }

  /** Step {@code stepId} is planned with no other out: nothing released before may be held back. */
  void checkNothingHeldBack(long stepId) {
    if (fences.acknowledged() < stepId - 1) {
      markHeld();
      final int late = fences.released(heldIn, round);
      if (late > 0) {
        rules.violate(
            Rule.FENCES,
            "no block may be held back when no step is out: step="
                + stepId
                + ", blocks="
                + late
                + ", "
                + fences);
      }
    }
  }

  /**
   * All steps that are out were given up: nothing is known of when they write, so the newest that
   * was planned may not count as over. Those before it do since it was planned.
   */
  void checkHeldBack() {
    if (fences.acknowledged() >= step) {
      rules.violate(
          Rule.FENCES,
          "blocks must be held back while a step is out that was given up: latestStep="
              + step
              + ", "
              + fences);
    }
  }

  @Override
  public KvCacheShape shape() {
    return cache().shape();
  }

  @Override
  public KvSequence open(RequestView request) {
    final KvSequence sequence = cache().open(request);
    open.add(sequence);
    return sequence;
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // this very sequence
  public void close(KvSequence sequence) {
    for (int i = open.size() - 1; i >= 0; i--) {
      if (open.get(i) == sequence) {
        open.set(i, open.getLast());
        open.removeLast();
        break;
      }
    }
    cache().close(sequence);
  }

  @Override
  public void beginStep(long stepId) {
    step = stepId;
    cache().beginStep(stepId);
  }

  @Override
  public void endStep(KvBlockWork work) {
    cache().endStep(fences.listeningTo(work, step));
  }

  @Override
  public int lookup(KvSequence sequence) {
    return cache().lookup(sequence);
  }

  @Override
  public int alignChunk(KvSequence sequence, int startTokens, int newTokens, int largestChunk) {
    return cache().alignChunk(sequence, startTokens, newTokens, largestChunk);
  }

  @Override
  public Allocation allocate(
      KvSequence sequence,
      int newTokens,
      int lookaheadTokens,
      int reserveTokens,
      int watermarkBlocks) {
    return cache().allocate(sequence, newTokens, lookaheadTokens, reserveTokens, watermarkBlocks);
  }

  @Override
  public Allocation extend(
      KvSequence sequence, int computedTokens, int newTokens, int lookaheadTokens) {
    return cache().extend(sequence, computedTokens, newTokens, lookaheadTokens);
  }

  @Override
  public Allocation readmit(
      KvSequence sequence,
      int computedTokens,
      int newTokens,
      int lookaheadTokens,
      int reserveTokens,
      int watermarkBlocks) {
    return cache()
        .readmit(
            sequence, computedTokens, newTokens, lookaheadTokens, reserveTokens, watermarkBlocks);
  }

  @Override
  public @Nullable ExternalKv external() {
    return cache().external();
  }

  @Override
  public void commit(KvSequence sequence, int computedTokens) {
    cache().commit(sequence, computedTokens);
  }

  @Override
  public int release(KvSequence sequence, int computedTokens, long lastStepId) {
    fences.release(sequence, lastStepId);
    return cache().release(sequence, computedTokens, lastStepId);
  }

  @Override
  public int blocksGained(
      KvSequence holding, int computedTokens, long lastStepId, KvSequence waiting) {
    return cache().blocksGained(holding, computedTokens, lastStepId, waiting);
  }

  @Override
  public void stepFailed(long stepId, @Nullable KvSequence failed, KvDependents dependents) {
    cache().stepFailed(stepId, failed, dependents);
  }

  @Override
  public void stepEnded(long stepId) {
    cache().stepEnded(stepId);
  }

  @Override
  public void acknowledge(long stepId) {
    fences.acknowledge(stepId);
    cache().acknowledge(stepId);
  }

  @Override
  public boolean retainsByPriority() {
    return cache().retainsByPriority();
  }

  @Override
  public void retain(KvSequence sequence, KvCacheRetention retention) {
    cache().retain(sequence, retention);
  }

  @Override
  public int pinnedBlocks() {
    return cache().pinnedBlocks();
  }

  @Override
  public boolean reset() {
    return cache().reset();
  }

  @Override
  public int freeBlocks() {
    return cache().freeBlocks();
  }

  @Override
  public int quarantinedBlocks() {
    return cache().quarantinedBlocks();
  }

  @Override
  public KvResidency residency() {
    return cache().residency();
  }

  @Override
  public int commonPrefixBlocks(KvSequence sequence, int group) {
    return cache().commonPrefixBlocks(sequence, group);
  }
}
