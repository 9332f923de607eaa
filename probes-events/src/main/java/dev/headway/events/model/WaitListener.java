package dev.headway.events.model;

/**
 * Is notified of what requests wait for. A {@link RunListener} that is a wait listener too is
 * notified of its run; {@link RunTimeline#bookWaits} asks for another. One thread.
 */
public interface WaitListener {

  /** A waiting request has another cause, which its {@link RequestTimeline#waits()} tell. */
  default void onCauseChanged(RequestTimeline request, long nowNs) {}

  /** All requests with {@link RequestWaits#sharesCause()} have another cause. */
  default void onSharedCauseChanged(Cause cause, long nowNs) {}

  /** So many requests waited for a cause during that time; every wait is told exactly once. */
  default void onWaited(Cause cause, long fromNs, long toNs, int requests) {}

  /** A stay in the queue is over, or the records are. */
  default void onWaitEnded(WaitInterval stay) {}
}
