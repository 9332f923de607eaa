package dev.headway.toolbox.stats;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class QuantileTest {

  /** {@code numpy.quantile([1, 2, 4, 8, 16], share)} of numpy 2. */
  @Test
  void shouldLieBetweenTheClosestRanksAsNumpys() {
    final double[] given = {1, 2, 4, 8, 16};

    assertThat(Quantile.of(given, 0)).isEqualTo(1);
    assertThat(Quantile.of(given, 0.1)).isEqualTo(1.4);
    assertThat(Quantile.of(given, 0.25)).isEqualTo(2);
    assertThat(Quantile.of(given, 0.5)).isEqualTo(4);
    assertThat(Quantile.of(given, 0.9)).isEqualTo(12.8);
    assertThat(Quantile.of(given, 0.99)).isEqualTo(15.68);
    assertThat(Quantile.of(given, 1)).isEqualTo(16);
  }

  @Test
  void shouldBeTheOnlyValue() {
    assertThat(Quantile.of(new double[] {7}, 0.99)).isEqualTo(7);
  }

  @Test
  void shouldBeAbsentOfNoValues() {
    assertThat(Quantile.of(new double[0], 0.5)).isNaN();
    assertThat(new Distribution().quantile(0.5)).isNaN();
    assertThat(new Distribution().mean()).isNaN();
  }

  @Test
  void shouldAskForNeighboursInAscendingOrder() {
    final List<Long> asked = new ArrayList<>();
    final Quantile.Ranked given =
        rank -> {
          asked.add(rank);
          return 10.0 * rank;
        };

    assertThat(Quantile.of(given, 11, 0.55)).isEqualTo(55);
    assertThat(Quantile.of(given, 11, 0.5)).isEqualTo(50);

    assertThat(asked).containsExactly(5L, 6L, 5L);
  }

  @Test
  void shouldNameTheMediansThatAreValues() {
    assertThat(Quantile.lowerMedian(new long[] {1, 2, 4, 8})).isEqualTo(2);
    assertThat(Quantile.lowerMedian(new long[] {1, 2, 4})).isEqualTo(2);
    assertThat(Quantile.upperMedian(new double[] {1, 2, 4, 8})).isEqualTo(4);
    assertThat(Quantile.upperMedian(new double[] {1, 2, 4})).isEqualTo(2);
  }
}
