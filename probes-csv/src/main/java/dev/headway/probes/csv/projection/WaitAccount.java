package dev.headway.probes.csv.projection;

import java.util.Arrays;

/**
 * How long a request waited, and for what. Every nanosecond of a waiting interval is booked to
 * exactly one reason, so the reasons add up to the total.
 */
final class WaitAccount {

  private long totalNs;
  private long longestNs;
  private long[] byReasonNs = new long[0];
  private int intervals;

  private boolean open;
  private long openSinceNs;
  private long reasonSinceNs;
  private Reason reason;

  WaitAccount(Reason first) {
    this.reason = first;
  }

  /** A waiting interval begins. */
  void begin(long nowNs, Reason first) {
    open = true;
    intervals++;
    openSinceNs = nowNs;
    reasonSinceNs = nowNs;
    reason = first;
  }

  /** The open interval goes on for another reason. */
  void changeReason(long nowNs, Reason next) {
    if (reason.index() != next.index()) {
      book(nowNs);
      reason = next;
    }
  }

  /** The open interval ends. */
  void end(long nowNs) {
    book(nowNs);
    final long lengthNs = nowNs - openSinceNs;
    totalNs += lengthNs;
    longestNs = Math.max(longestNs, lengthNs);
    open = false;
  }

  boolean isOpen() {
    return open;
  }

  /** Intervals begun. */
  int intervals() {
    return intervals;
  }

  /** Sum of the closed intervals. */
  long totalNs() {
    return totalNs;
  }

  /** Sum of the closed intervals and of the open one up to {@code nowNs}. */
  long totalNs(long nowNs) {
    return open ? totalNs + (nowNs - openSinceNs) : totalNs;
  }

  /** The longest closed interval. */
  long longestNs() {
    return longestNs;
  }

  /** Time booked to a reason in closed intervals. */
  long byReasonNs(int index) {
    return index < byReasonNs.length ? byReasonNs[index] : 0;
  }

  /** Above every index that {@link #byReasonNs} has time for. */
  int reasonBound() {
    return byReasonNs.length;
  }

  private void book(long nowNs) {
    final int index = reason.index();
    if (index >= byReasonNs.length) {
      byReasonNs = Arrays.copyOf(byReasonNs, index + 1);
    }
    byReasonNs[index] += nowNs - reasonSinceNs;
    reasonSinceNs = nowNs;
  }
}
