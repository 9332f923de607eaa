package dev.headway.events.model;

import org.jspecify.annotations.Nullable;

/**
 * One uninterrupted stay of a request in the queue, from its queueing or preemption to its
 * admission or end.
 *
 * @param request the waiting request
 * @param fromNs instant of queueing or preemption
 * @param toNs instant of admission or end, or the last instant of the journal
 * @param byCause time per cause; adds up to the length
 * @param mainCause the cause with the most time
 * @param lastCause the cause that held when it ended
 * @param blocker id of the last blocking request, or null
 * @param afterPreemption whether it had run before
 */
public record WaitInterval(
    RequestTimeline request,
    long fromNs,
    long toNs,
    CauseTimes byCause,
    Cause mainCause,
    Cause lastCause,
    @Nullable String blocker,
    boolean afterPreemption) {

  /** Its length. */
  public long lengthNs() {
    return toNs - fromNs;
  }
}
