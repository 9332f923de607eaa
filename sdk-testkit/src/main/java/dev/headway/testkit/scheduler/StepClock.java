package dev.headway.testkit.scheduler;

import dev.headway.api.time.ClockAnchor;
import dev.headway.api.time.NanoClock;

/** A clock whose every reading is a new instant. */
final class StepClock implements NanoClock {

  private long nowNs;

  /** The latest reading. */
  long latestNs() {
    return nowNs;
  }

  @Override
  public long nanoTime() {
    return ++nowNs;
  }

  @Override
  public void sleepUntil(long deadlineNs) {
    nowNs = Math.max(nowNs, deadlineNs);
  }

  @Override
  public ClockAnchor anchor() {
    return new ClockAnchor(0, 0, 0);
  }

  @Override
  public boolean isVirtual() {
    return true;
  }
}
