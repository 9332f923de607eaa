package dev.headway.kvcache;

import dev.headway.api.kvcache.EvictionPolicy;
import dev.headway.api.request.KvCacheRetention;

/**
 * Two segments, each least recently used first: what was found fewer than {@code
 * protectedThreshold} times is given up before what was found as often or more. {@code
 * SLRUStrategy} of SGLang's {@code mem_cache/evict_policy.py}.
 *
 * <p>A priority that a request asks for goes before: below {@value
 * KvCacheRetention#DEFAULT_PRIORITY} sooner than both segments, above later.
 *
 * <p>Any thread; allocates nothing.
 *
 * @param protectedThreshold hits that protect, >= 1
 */
public record SlruEviction(int protectedThreshold) implements EvictionPolicy {

  /** SGLang's: what was found twice is protected. */
  public static final SlruEviction DEFAULT = new SlruEviction(2);

  /** Checks. */
  public SlruEviction {
    if (protectedThreshold < 1) {
      throw new IllegalArgumentException(
          "protectedThreshold must be >= 1: protectedThreshold=" + protectedThreshold);
    }
  }

  @Override
  public int priorityOf(Block block) {
    final int priority = block.priority();
    final boolean isProtected =
        priority == KvCacheRetention.DEFAULT_PRIORITY && block.hits() >= protectedThreshold;
    return isProtected ? priority + 1 : priority;
  }
}
