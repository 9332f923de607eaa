package dev.headway.simulation.compare;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class QuantilesTest {

  private static final double[] TEN = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};

  @Test
  void shouldLieBetweenTheClosestRanks() {
    assertThat(Quantiles.ofSorted(TEN, 50)).isEqualTo(5.5);
    assertThat(Quantiles.ofSorted(TEN, 90)).isEqualTo(9.1);
    assertThat(Quantiles.ofSorted(TEN, 99)).isEqualTo(9.91);
    assertThat(Quantiles.ofSorted(TEN, 100)).isEqualTo(10);
    assertThat(Quantiles.ofSorted(TEN, 0)).isEqualTo(1);
    assertThat(Quantiles.ofSorted(new double[0], 50)).isNaN();
  }

  @Test
  void shouldCountValuesAsOftenAsTheirOwnersWeigh() {
    final int[] owners = IntStream.range(0, 10).map(i -> 9 - i).toArray(); // largest value: owner 0
    final int[] weights = new int[10];
    weights[0] = 1;
    weights[9] = 3;

    assertThat(Quantiles.weighted(TEN, owners, weights, 50)).isEqualTo(1); // of 1, 1, 1, 10
    assertThat(Quantiles.weighted(TEN, owners, weights, 75)).isEqualTo(3.25);
    assertThat(Quantiles.weighted(TEN, owners, weights, 100)).isEqualTo(10);
    assertThat(Quantiles.weighted(TEN, owners, new int[10], 50)).isNaN();
  }

  @Test
  void shouldAgreeWithThePlainPercentileWhenAllWeighOne() {
    final int[] owners = IntStream.range(0, 10).toArray();
    final int[] ones = IntStream.generate(() -> 1).limit(10).toArray();
    for (int percent = 0; percent <= 100; percent++) {
      assertThat(Quantiles.weighted(TEN, owners, ones, percent))
          .as("percent=%d", percent)
          .isEqualTo(Quantiles.ofSorted(TEN, percent));
    }
  }
}
