package dev.headway.events.model;

import dev.headway.api.support.WaitClocks;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Waiting times of a request by cause, so far. Written by {@link WaitAccounting} only. */
public final class RequestWaits extends WaitClocks.Waits {

  private static final long[] NONE = {};

  private Cause cause;
  boolean dirty;
  boolean afterPreemption;
  long stayFromNs;
  @Nullable String lastBlocker;
  private long[] totalByCauseNs = NONE;
  private int intervals;
  private long totalNs;
  private long longestNs;

  RequestWaits(Cause first) {
    this.cause = first;
  }

  /** The cause of its wait; meaningful while it waits. */
  public Cause cause() {
    return cause;
  }

  /** Time waited in closed stays. */
  public long totalNs() {
    return totalNs;
  }

  /** Time waited in closed stays, and in the open one up to {@code nowNs}. */
  public long totalNs(long nowNs) {
    return isOpen() ? totalNs + (nowNs - stayFromNs) : totalNs;
  }

  /** Stays in the queue, the open one included. */
  public int intervals() {
    return intervals;
  }

  /** Above every {@link Cause#index()} with time in closed stays. */
  public int bound() {
    return totalByCauseNs.length;
  }

  /** Time waited for the cause of an index in closed stays. */
  public long ns(int index) {
    return index < totalByCauseNs.length ? totalByCauseNs[index] : 0;
  }

  /** Its longest closed stay. */
  public long longestNs() {
    return longestNs;
  }

  /** Time waited for a cause in closed stays. */
  public long ns(Cause of) {
    return ns(of.index());
  }

  void beginStay(long nowNs) {
    intervals++;
    stayFromNs = nowNs;
    lastBlocker = null;
  }

  void cause(Cause next) {
    cause = next;
  }

  long causeSinceNs() {
    return accountedUpToNs();
  }

  /** Adds a stay to the total. */
  void closeStay(long[] closed, long lengthNs) {
    if (totalByCauseNs.length < closed.length) {
      totalByCauseNs = Arrays.copyOf(totalByCauseNs, closed.length);
    }
    for (int i = 0; i < closed.length; i++) {
      totalByCauseNs[i] += closed[i];
    }
    totalNs += lengthNs;
    longestNs = Math.max(longestNs, lengthNs);
  }
}
