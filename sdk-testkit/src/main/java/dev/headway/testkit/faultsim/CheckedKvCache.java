package dev.headway.testkit.faultsim;

import dev.headway.api.kvcache.Allocation;
import dev.headway.api.kvcache.KvBlockWork;
import dev.headway.api.kvcache.KvCacheManager;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.kvcache.KvDependents;
import dev.headway.api.kvcache.KvSequence;
import dev.headway.api.request.RequestView;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A KV cache in front of another that knows the sequences, so that blocks can be counted. */
final class CheckedKvCache implements KvCacheManager {

  private final List<KvSequence> open = new ArrayList<>();
  private @Nullable KvCacheManager cache;
  private int[] seen = {};
  private int round;

  /** Sets the cache that it stands in front of. */
  KvCacheManager inFrontOf(KvCacheManager kvCache) {
    cache = kvCache;
    open.clear();
    seen = new int[kvCache.shape().numBlocks()];
    return this;
  }

  /** Whether the engine uses it. */
  boolean isUsed() {
    return cache != null;
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

  /** What is wrong with the blocks, or null: all must be free, in quarantine, or held. */
  @Nullable String findLostBlocks() {
    final KvCacheManager counted = cache();
    round++;
    int held = 0;
    for (int i = 0; i < open.size(); i++) {
      final KvSequence sequence = open.get(i);
      for (int group = 0; group < sequence.groupCount(); group++) {
        for (int at = sequence.blockCount(group) - 1; at >= 0; at--) {
          final int block = sequence.blockId(group, at);
          if (block != 0 && seen[block] != round) {
            seen[block] = round;
            held++;
          }
        }
      }
    }
    final int free = counted.freeBlocks();
    final int quarantined = counted.quarantinedBlocks();
    final int usable = counted.shape().usableBlocks();
    return free >= 0 && quarantined >= 0 && free + quarantined + held == usable
        ? null
        : "free + quarantined + held blocks must be the usable ones: free="
            + free
            + ", quarantined="
            + quarantined
            + ", held="
            + held
            + ", usable="
            + usable;
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
    cache().beginStep(stepId);
  }

  @Override
  public void endStep(KvBlockWork work) {
    cache().endStep(work);
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
  public void commit(KvSequence sequence, int computedTokens) {
    cache().commit(sequence, computedTokens);
  }

  @Override
  public int release(KvSequence sequence, int computedTokens, long lastStepId) {
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
    cache().acknowledge(stepId);
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
  public int commonPrefixBlocks(KvSequence sequence, int group) {
    return cache().commonPrefixBlocks(sequence, group);
  }
}
