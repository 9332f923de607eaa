package dev.headway.api.kvcache;

/**
 * How long blocks stayed in the cache, of those that were sampled: see {@code
 * PrefixCacheOptions.residencySample}. A block counts when it is taken for other content, so those
 * that are still there do not.
 *
 * <p>Source: vLLM's {@code KVCacheMetricsCollector}.
 *
 * @param lifetime from when it was taken until it was taken again
 * @param idleBeforeEviction from its latest hit, or without one from when it was taken, until then
 * @param reuseGap between two of its latest four hits
 */
public record KvResidency(
    DurationHistogram lifetime, DurationHistogram idleBeforeEviction, DurationHistogram reuseGap) {

  /** Nothing was sampled. */
  public static final KvResidency NONE =
      new KvResidency(DurationHistogram.EMPTY, DurationHistogram.EMPTY, DurationHistogram.EMPTY);
}
