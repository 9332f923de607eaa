package dev.headway.events.model;

import org.jspecify.annotations.Nullable;

/**
 * One uninterrupted stay of a request in the queue, from its queueing or preemption to its
 * admission or end.
 *
 * @param request who waited
 * @param fromNs instant of queueing or preemption
 * @param toNs instant of admission or end, or the last instant of the journal
 * @param byCause what for; adds up to the length
 * @param mainCause the cause with the most time
 * @param lastCause the cause that held when it ended
 * @param blocker name of the request that stood in the way last, or null
 * @param afterPreemption whether it had been running before
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

  /** How long it was. */
  public long lengthNs() {
    return toNs - fromNs;
  }
}
