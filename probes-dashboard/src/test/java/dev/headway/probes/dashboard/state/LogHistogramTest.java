package dev.headway.probes.dashboard.state;

import static dev.headway.api.Absent.ABSENT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.headway.toolbox.stats.Quantile;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LogHistogramTest {

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void shouldBeExactToThreePerCent(long seed) {
    final Random random = new Random(seed);
    final LogHistogram given = new LogHistogram();
    final long[] values = new long[2_001];
    for (int i = 0; i < values.length; i++) {
      values[i] = (long) Math.exp(random.nextDouble() * 24);
      given.add(values[i]);
    }
    Arrays.sort(values);

    for (double q : new double[] {0.01, 0.5, 0.9, 0.99, 1}) {
      final double exact = Quantile.of(Arrays.stream(values).asDoubleStream().toArray(), q);

      assertThat((double) given.quantile(q))
          .as("seed=%d, q=%s", seed, q)
          .isCloseTo(exact, within(Math.max(1, 0.03 * exact)));
    }
  }

  @Test
  void shouldKnowNothingOfNoDuration() {
    assertThat(new LogHistogram().quantile(0.5)).isEqualTo(ABSENT);
  }

  @ParameterizedTest
  @ValueSource(longs = {-5, 0, 31, 32, Long.MAX_VALUE})
  void shouldTakeAnyValue(long value) {
    final LogHistogram given = new LogHistogram();

    given.add(value);

    assertThat(given.total()).isOne();
    assertThat(given.quantile(0.5)).isNotNegative();
  }
}
