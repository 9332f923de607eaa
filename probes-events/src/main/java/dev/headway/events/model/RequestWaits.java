package dev.headway.events.model;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Waiting times of a request by cause, so far. Written by {@link WaitAccounting} only. */
public final class RequestWaits {

  private static final long[] NONE = {};

  private Cause cause;
  boolean open;
  boolean shares;
  boolean dirty;
  boolean afterPreemption;
  long stayFromNs;
  long causeSinceNs;
  long[] atJoinNs = NONE;
  @Nullable String lastBlocker;
  private long[] stayByCauseNs = NONE;
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

  /** Whether it waits for the reason that all unexamined requests share. */
  public boolean sharesCause() {
    return shares;
  }

  /** Time waited in closed stays. */
  public long totalNs() {
    return totalNs;
  }

  /** Time waited in closed stays, and in the open one up to {@code nowNs}. */
  public long totalNs(long nowNs) {
    return open ? totalNs + (nowNs - stayFromNs) : totalNs;
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
    open = true;
    intervals++;
    stayFromNs = nowNs;
    causeSinceNs = nowNs;
    lastBlocker = null;
  }

  void cause(Cause next) {
    cause = next;
  }

  void book(int index, long ns) {
    if (index >= stayByCauseNs.length) {
      stayByCauseNs = Arrays.copyOf(stayByCauseNs, index + 1);
    }
    stayByCauseNs[index] += ns;
  }

  /** Adds the stay to the total and starts another. */
  long[] closeStay(long lengthNs) {
    if (totalByCauseNs.length < stayByCauseNs.length) {
      totalByCauseNs = Arrays.copyOf(totalByCauseNs, stayByCauseNs.length);
    }
    for (int i = 0; i < stayByCauseNs.length; i++) {
      totalByCauseNs[i] += stayByCauseNs[i];
    }
    totalNs += lengthNs;
    longestNs = Math.max(longestNs, lengthNs);
    final long[] closed = stayByCauseNs;
    stayByCauseNs = NONE;
    open = false;
    return closed;
  }
}
