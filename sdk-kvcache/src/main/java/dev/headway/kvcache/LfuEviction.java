package dev.headway.kvcache;

import dev.headway.api.kvcache.EvictionPolicy;
import dev.headway.api.request.KvCacheRetention;

/**
 * Gives up first what was found least often, and of equal contents what was held longest ago:
 * {@code LFUStrategy} of SGLang's {@code mem_cache/evict_policy.py}.
 *
 * <p>Counts of {@value #MOST_HITS} and more are equal. A priority that a request asks for stands
 * beside them: {@code n} hits are worth {@value KvCacheRetention#DEFAULT_PRIORITY}{@code + n}.
 *
 * <p>Any thread; allocates nothing.
 */
public record LfuEviction() implements EvictionPolicy {

  /** Counts from here on are equal. */
  static final int MOST_HITS = 50;

  @Override
  public int priorityOf(Block block) {
    final int priority = block.priority();
    return priority == KvCacheRetention.DEFAULT_PRIORITY
        ? priority + Math.min(block.hits(), MOST_HITS)
        : priority;
  }
}
