package dev.headway.events.model;

/**
 * Is notified of waits and their causes. A {@link RunListener} that is also a wait listener is
 * notified of its run; {@link RunTimeline#bookWaits} adds another. One thread.
 */
public interface WaitListener {

  /** The cause of a waiting request changed; see {@link RequestTimeline#waits()}. */
  default void onCauseChanged(RequestTimeline request, long nowNs) {}

  /** The cause of all requests with {@link RequestWaits#sharesCause()} changed. */
  default void onSharedCauseChanged(Cause cause, long nowNs) {}

  /**
   * A number of requests waited for a cause during an interval; every wait is reported exactly
   * once.
   */
  default void onWaited(Cause cause, long fromNs, long toNs, int requests) {}

  /** A stay in the queue ended, or the records ended. */
  default void onWaitEnded(WaitInterval stay) {}
}
