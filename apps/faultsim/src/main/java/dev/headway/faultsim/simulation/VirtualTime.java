package dev.headway.faultsim.simulation;

import dev.headway.api.time.ClockAnchor;
import dev.headway.api.time.NanoClock;

/** A clock that the simulation advances. */
final class VirtualTime implements NanoClock {

  private static final ClockAnchor ANCHOR = new ClockAnchor(0, 0, 0);

  private long nowNs;

  VirtualTime(long beginNs) {
    nowNs = beginNs;
  }

  @Override
  public long nanoTime() {
    return nowNs;
  }

  @Override
  public void sleepUntil(long deadlineNs) {
    nowNs = Math.max(nowNs, deadlineNs);
  }

  /** Lets time pass; at the end of the range it stands still. */
  void advance(long durationNs) {
    nowNs += Math.min(durationNs, Long.MAX_VALUE - nowNs);
  }

  @Override
  public ClockAnchor anchor() {
    return ANCHOR;
  }

  @Override
  public boolean isVirtual() {
    return true;
  }
}
