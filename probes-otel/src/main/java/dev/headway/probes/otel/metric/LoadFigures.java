package dev.headway.probes.otel.metric;

/**
 * Shows how loaded an engine is, as {@link Occupancy} and {@link WaitMeter} find it. One thread.
 */
interface LoadFigures {

  /**
   * How many requests there are.
   *
   * @param deferred those of the waiting that were examined and passed over
   */
  void requests(int running, int waiting, int deferred);

  /** How many KV blocks are free, of those that requests may hold. */
  void blocks(int free, int usable);

  /** No request is left; all KV blocks are free. */
  void idle(int usable);

  /** How many requests wait for a reason now. */
  void waiting(String reason, int requests);

  /** Requests have waited for a reason, so long together. */
  void waited(String reason, long durationNs);
}
