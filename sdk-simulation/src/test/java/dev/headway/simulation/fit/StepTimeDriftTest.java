package dev.headway.simulation.fit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

/** Steps that are off by a known share, and noise. */
class StepTimeDriftTest {

  private static long stepsToDrift(double share, double noise, int steps, long seed) {
    final StepTimeDrift drift = new StepTimeDrift();
    final Random random = new Random(seed);
    for (int i = 0; i < steps; i++) {
      drift.add(1e6, 1e6 * (1 + share) * (1 + noise * random.nextGaussian()));
    }
    return drift.drifts() ? drift.steps() : -1;
  }

  @Test
  void shouldFindWhatStays() {
    for (long seed = 1; seed <= 20; seed++) {
      assertThat(stepsToDrift(0.2, 0.03, 100_000, seed)).as("seed=%d", seed).isBetween(15L, 60L);
      assertThat(stepsToDrift(-0.2, 0.03, 100_000, seed)).as("seed=%d", seed).isBetween(10L, 60L);
      assertThat(stepsToDrift(0.02, 0.03, 100_000, seed)).as("seed=%d", seed).isBetween(100L, 600L);
    }
  }

  @Test
  void shouldNotTakeNoiseOrAStallForDrift() {
    for (long seed = 1; seed <= 20; seed++) {
      assertThat(stepsToDrift(0, 0.03, 200_000, seed)).as("seed=%d", seed).isEqualTo(-1);
    }
    final StepTimeDrift drift = new StepTimeDrift();
    for (int i = 0; i < 10; i++) {
      assertThat(drift.add(1e6, 1e9)).as("a second of standstill").isFalse();
      for (int sound = 0; sound < 100; sound++) {
        drift.add(1e6, 1e6);
      }
    }
    assertThat(drift.drifts()).isFalse();
  }
}
