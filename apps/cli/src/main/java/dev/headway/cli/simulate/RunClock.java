package dev.headway.cli.simulate;

import dev.headway.api.time.ClockAnchor;
import dev.headway.api.time.NanoClock;
import dev.headway.scheduler.time.SystemNanoClock;
import org.jspecify.annotations.Nullable;

/**
 * The wall clock of a run, which stands at 0 until the run begins: what an executor takes to start
 * is not among its times. Any thread reads it; one begins it, once, before an engine is built.
 */
final class RunClock implements NanoClock {

  private volatile @Nullable SystemNanoClock running;

  /** Starts it at 0, now. */
  void begin() {
    running = new SystemNanoClock();
  }

  @Override
  public long nanoTime() {
    final SystemNanoClock clock = running;
    return clock == null ? 0 : clock.nanoTime();
  }

  @Override
  public void sleepUntil(long deadlineNs) {
    begun().sleepUntil(deadlineNs);
  }

  @Override
  public ClockAnchor anchor() {
    return begun().anchor();
  }

  @Override
  public boolean isVirtual() {
    return false;
  }

  private SystemNanoClock begun() {
    final SystemNanoClock clock = running;
    if (clock == null) {
      throw new IllegalStateException("the clock of a run must have begun");
    }
    return clock;
  }
}
