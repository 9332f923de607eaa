package dev.headway.serving;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Waits for what another thread does. Stateless. */
public final class Until {

  private Until() {}

  /** Returns when it holds; fails after 30 s. */
  public static void holds(BooleanSupplier condition) {
    final long untilNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - untilNs > 0) {
        throw new AssertionError("it must hold within 30 s");
      }
      Thread.onSpinWait();
    }
  }
}
