package dev.headway.scheduler.policy.capacity;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.policy.CapacityPolicy;
import dev.headway.api.policy.StepView;
import dev.headway.api.request.RequestView;

/**
 * Admits a request only if it and all running requests can get all the blocks they may ever need:
 * no request is ever preempted for blocks. With {@code blocks(t)} for what t tokens take,
 *
 * <pre>{@code
 * keep = sum over running of (blocks(prompt + maxTokens) - held)
 *      + blocks(candidate's prompt + maxTokens) - blocks(its cached and new tokens)
 * }</pre>
 *
 * <p>Draft slots count as tokens, and no request needs more than {@code maxModelLen}. Exact for
 * full attention; for windows and recurrent states it relies on the worst case that the cache's
 * shape answers.
 *
 * <p>Source: TensorRT-LLM {@code GuaranteedNoEvictScheduler} (GUARANTEED_NO_EVICT, its default).
 */
public final class NoEvict implements CapacityPolicy {

  private final KvCacheShape shape;
  private final int maxModelLen;
  private final int inFlightTokens;
  private final int draftTokens;

  /** Makes the policy for a scheduler with these settings. */
  public NoEvict(SchedulerConfig config, KvCacheShape shape) {
    this.shape = shape;
    maxModelLen = config.limits().maxModelLen();
    inFlightTokens = config.inFlightTokenLimit();
    draftTokens = config.speculation().numSpeculativeTokens();
  }

  @Override
  public int blocksToKeepFree(
      RequestView candidate, int cachedTokens, int newTokens, StepView step) {
    long keep = (long) blocksAtEnd(candidate) - blocks(cachedTokens + newTokens);
    for (int index = 0; index < step.runningCount(); index++) {
      final RequestView running = step.running(index);
      keep += Math.max(0, blocksAtEnd(running) - running.kvBlocks());
    }
    return (int) Math.min(Math.max(0, keep), Integer.MAX_VALUE);
  }

  private int blocksAtEnd(RequestView request) {
    final long tokens =
        (long) request.promptTokens() + request.request().stopRule().maxTokens() + draftTokens;
    return blocks((int) Math.min(tokens, maxModelLen));
  }

  private int blocks(int tokens) {
    return shape.blocksToHold(tokens, inFlightTokens, maxModelLen);
  }
}
