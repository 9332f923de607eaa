package dev.headway.events.model;

/** Time per cause. Immutable. */
public final class CauseTimes {

  private final long[] byIndexNs;

  CauseTimes(long[] byIndexNs) {
    this.byIndexNs = byIndexNs;
  }

  /** Above every {@link Cause#index()} with time. */
  public int bound() {
    return byIndexNs.length;
  }

  /** Time for the cause of an index. */
  public long ns(int index) {
    return index < byIndexNs.length ? byIndexNs[index] : 0;
  }
}
