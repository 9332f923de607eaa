package dev.headway.kvcache.contract;

import dev.headway.api.kvcache.Allocation;
import dev.headway.api.kvcache.KvBlockWork;
import dev.headway.api.kvcache.KvCacheManager;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.kvcache.KvDependents;
import dev.headway.api.kvcache.KvSequence;
import dev.headway.api.request.RequestView;
import org.jspecify.annotations.Nullable;

/** A sound manager behind an interface that a test breaks, method by method. */
class FaultyKvCache implements KvCacheManager {

  final KvCacheManager sound;

  FaultyKvCache(KvCacheManager sound) {
    this.sound = sound;
  }

  @Override
  public KvCacheShape shape() {
    return sound.shape();
  }

  @Override
  public KvSequence open(RequestView request) {
    return sound.open(request);
  }

  @Override
  public void close(KvSequence sequence) {
    sound.close(sequence);
  }

  @Override
  public void beginStep(long stepId) {
    sound.beginStep(stepId);
  }

  @Override
  public void endStep(KvBlockWork work) {
    sound.endStep(work);
  }

  @Override
  public int lookup(KvSequence sequence) {
    return sound.lookup(sequence);
  }

  @Override
  public int alignChunk(KvSequence sequence, int startTokens, int newTokens, int largestChunk) {
    return sound.alignChunk(sequence, startTokens, newTokens, largestChunk);
  }

  @Override
  public Allocation allocate(
      KvSequence sequence, int newTokens, int lookahead, int reserveTokens, int watermarkBlocks) {
    return sound.allocate(sequence, newTokens, lookahead, reserveTokens, watermarkBlocks);
  }

  @Override
  public Allocation extend(
      KvSequence sequence, int computedTokens, int newTokens, int lookaheadTokens) {
    return sound.extend(sequence, computedTokens, newTokens, lookaheadTokens);
  }

  @Override
  public void commit(KvSequence sequence, int computedTokens) {
    sound.commit(sequence, computedTokens);
  }

  @Override
  public int release(KvSequence sequence, int computedTokens, long lastStepId) {
    return sound.release(sequence, computedTokens, lastStepId);
  }

  @Override
  public int blocksGained(
      KvSequence holding, int computedTokens, long lastStepId, KvSequence waiting) {
    return sound.blocksGained(holding, computedTokens, lastStepId, waiting);
  }

  @Override
  public void stepFailed(long stepId, @Nullable KvSequence failed, KvDependents dependents) {
    sound.stepFailed(stepId, failed, dependents);
  }

  @Override
  public void stepEnded(long stepId) {
    sound.stepEnded(stepId);
  }

  @Override
  public void acknowledge(long stepId) {
    sound.acknowledge(stepId);
  }

  @Override
  public boolean reset() {
    return sound.reset();
  }

  @Override
  public int freeBlocks() {
    return sound.freeBlocks();
  }

  @Override
  public int quarantinedBlocks() {
    return sound.quarantinedBlocks();
  }

  @Override
  public int commonPrefixBlocks(KvSequence sequence, int group) {
    return sound.commonPrefixBlocks(sequence, group);
  }
}
