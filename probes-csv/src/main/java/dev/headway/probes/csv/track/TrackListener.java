package dev.headway.probes.csv.track;

/**
 * Hears what becomes of the requests and steps of a run.
 *
 * <p>One thread. Requests are the tracker's own objects and change after the call; arrays belong to
 * the listener's reading only.
 */
public interface TrackListener {

  /** A request entered the queue. */
  default void queued(TrackedRequest request) {}

  /** A request was refused. */
  default void rejected(Rejection rejection) {}

  /**
   * A request entered a phase, which it tells; it had been in {@code left} since {@code sinceNs}.
   */
  default void phaseChanged(TrackedRequest request, Phase left, long sinceNs, long nowNs) {}

  /** A waiting request has another cause, which it tells. */
  default void causeChanged(TrackedRequest request, long nowNs) {}

  /** All requests with {@link TrackedRequest#sharesCause()} have another cause. */
  default void sharedCauseChanged(Cause cause, long nowNs) {}

  /** So many requests waited for a cause during that time; every wait is told exactly once. */
  default void waited(Cause cause, long fromNs, long toNs, int requests) {}

  /** A stay in the queue is over, or the journal is. */
  default void stayed(Stay stay) {}

  /** A request was put back. */
  default void preempted(Preemption preemption, long nowNs) {}

  /** A request was admitted. */
  default void admitted(TrackedRequest request, int cachedTokens, long nowNs) {}

  /** A step was planned; its output is not known. */
  default void planned(TrackedStep step) {}

  /** A step is complete, or all that the journal says of it is known. */
  default void completed(TrackedStep step) {}

  /** A token of a request came so long after the one before. */
  default void tokenGap(TrackedRequest request, long gapNs) {}

  /** A request ended and all its tokens are known. */
  default void ended(TrackedRequest request) {}

  /** The journal is over and a request still alive. */
  default void unfinished(TrackedRequest request, long nowNs) {}

  /** Cached KV blocks were stored, or lost to other content. */
  default void kvChanged(int stored, int removed) {}

  /** The writer had to drop records. */
  default void dropped(long records) {}

  /** Nothing more comes of this run. */
  default void runConcluded(long lastNs, boolean cleanly) {}
}
