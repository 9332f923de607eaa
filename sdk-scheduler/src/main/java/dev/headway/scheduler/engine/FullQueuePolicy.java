package dev.headway.scheduler.engine;

/** What happens to a request that finds {@code maxNumQueuedReqs} requests alive. */
public enum FullQueuePolicy {
  /** It is rejected with {@code QUEUE_FULL}. */
  REJECT_NEWCOMER,
  /**
   * It takes the place of the least important request that has not been admitted so far, the latest
   * of equals, which ends with {@code QUEUE_EVICTED}; if none is less important, it is rejected.
   * Needs {@code QueuePolicy.PRIORITY}.
   */
  EVICT_WORST
}
