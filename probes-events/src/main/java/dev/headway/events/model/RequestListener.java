package dev.headway.events.model;

import dev.headway.events.record.FinishedRecord;

/**
 * Hears what becomes of requests.
 *
 * <p>One thread. Requests are the observer's own objects and go on changing after the call.
 */
public interface RequestListener {

  /** A request is about to enter the queue. */
  default void onQueued(ObservedRequest request) {}

  /** A request was refused. */
  default void onRejected(Rejection rejection) {}

  /** A request was admitted, for the first time or again. */
  default void onAdmitted(ObservedRequest request, int cachedTokens, long nowNs) {}

  /** A request was put back; its phase has changed. */
  default void onPreempted(Preemption preemption, long nowNs) {}

  /**
   * A request entered a phase, which it tells; it had been in {@code left} since {@code sinceNs}.
   */
  default void onPhaseChanged(ObservedRequest request, Phase left, long sinceNs, long nowNs) {}

  /** A token of a request came so long after the one before. */
  default void onTokenGap(ObservedRequest request, long gapNs) {}

  /** A request ended and is gone from its run; tokens of its last step may still come. */
  default void onFinished(ObservedRequest request, FinishedRecord end) {}

  /** A request that ended has all its tokens now. In the order of the ends. */
  default void onSettled(ObservedRequest request) {}

  /** The records are over and a request still alive. In the order of their numbers. */
  default void onUnfinished(ObservedRequest request, long nowNs) {}
}
