package dev.headway.api.config;

/**
 * How much may wait before new requests are rejected: back-pressure instead of an ever longer
 * queue. Preempted requests are never rejected.
 *
 * @param maxNumQueuedReqs most requests waiting or running, >= 1; 0 for no limit
 * @param maxNumQueuedTokens most prompt tokens waiting to be computed, >= 1; 0 for no limit
 */
public record QueueLimits(int maxNumQueuedReqs, long maxNumQueuedTokens) {

  /** No limits. */
  public static final QueueLimits NONE = new QueueLimits(0, 0);

  /** Validates the components. */
  public QueueLimits {
    if (maxNumQueuedReqs < 0) {
      throw new IllegalArgumentException(
          "maxNumQueuedReqs must be >= 0, 0 for no limit: maxNumQueuedReqs=" + maxNumQueuedReqs);
    }
    if (maxNumQueuedTokens < 0) {
      throw new IllegalArgumentException(
          "maxNumQueuedTokens must be >= 0, 0 for no limit: maxNumQueuedTokens="
              + maxNumQueuedTokens);
    }
  }
}
