package dev.headway.scheduler.soak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class HeapTrendTest {

  @Test
  void shouldFindTheSlopeOfALineBehindAWarmUp() {
    final HeapTrend given = new HeapTrend();
    for (int i = 0; i < 100; i++) {
      given.add(1_000L * i, i < 20 ? 500_000L * i : 10_000_000L + 3_000L * i);
    }

    final HeapTrend.Line line = given.line();

    assertThat(line.samples()).isEqualTo(80);
    assertThat(line.bytesPerRequest()).isCloseTo(3.0, within(1e-9));
    assertThat(line.standardError()).isCloseTo(0.0, within(1e-6));
  }

  @Test
  void shouldBoundTheSlopeOfNoise() {
    final SplittableRandom random = new SplittableRandom(1);
    final HeapTrend given = new HeapTrend();
    for (int i = 0; i < 200; i++) {
      given.add(100_000L * i, 10_000_000L + random.nextInt(100_000));
    }

    final HeapTrend.Line line = given.line();

    assertThat(line.bytesPerRequest()).isCloseTo(0.0, within(2 * line.standardError()));
    assertThat(line.upperBound()).isBetween(0.0, 0.01);
  }

  @Test
  void shouldNotDrawALineThroughAFewSamples() {
    final HeapTrend given = new HeapTrend();
    for (int i = 0; i < 11; i++) {
      given.add(i, i);
    }
    assertThat(given.hasLine()).isFalse();

    given.add(11, 11);

    assertThat(given.hasLine()).isTrue();
  }
}
