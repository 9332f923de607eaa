package dev.headway.testkit.kvcache;

import dev.headway.api.time.ClockAnchor;
import dev.headway.api.time.NanoClock;

/** A clock that does not move: the contract of a cache has no times. */
final class StillClock implements NanoClock {

  @Override
  public long nanoTime() {
    return 0;
  }

  @Override
  public void sleepUntil(long deadlineNs) {}

  @Override
  public ClockAnchor anchor() {
    return new ClockAnchor(0, 0, 0);
  }

  @Override
  public boolean isVirtual() {
    return true;
  }
}
