package dev.headway.langchain4j;

import java.util.function.BooleanSupplier;

/** Waits for what another thread does. */
final class Until {

  private Until() {}

  static void holds(BooleanSupplier condition) {
    final long untilNs = System.nanoTime() + 30_000_000_000L;
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - untilNs > 0) {
        throw new AssertionError("it must hold within 30 s");
      }
      Thread.onSpinWait();
    }
  }
}
