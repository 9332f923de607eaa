package dev.headway.toolbox.stats;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class OwnedSampleTest {

  private static final double[] TEN = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};

  @Test
  void shouldCountFiguresAsOftenAsTheirOwners() {
    final int[] owners = IntStream.range(0, 10).map(i -> 9 - i).toArray(); // largest: owner 0
    final OwnedSample sample = OwnedSample.of(TEN, owners);
    final int[] weights = new int[10];
    weights[0] = 1;
    weights[9] = 3;

    assertThat(sample.quantile(weights, 0.5)).isEqualTo(1); // of 1, 1, 1, 10
    assertThat(sample.quantile(weights, 0.75)).isEqualTo(3.25);
    assertThat(sample.quantile(weights, 1)).isEqualTo(10);
    assertThat(sample.quantile(new int[10], 0.5)).isNaN();
  }

  @Test
  void shouldAgreeWithThePlainQuantileWhereEachCountsOnce() {
    final OwnedSample sample =
        OwnedSample.ofEach(new double[] {10, 2, 9, 4, Double.NaN, 5, 7, 6, 8, 3, 1});
    final int[] ones = IntStream.generate(() -> 1).limit(11).toArray();
    for (int percent = 0; percent <= 100; percent++) {
      assertThat(sample.quantile(ones, percent / 100.0))
          .as("percent=%d", percent)
          .isEqualTo(Quantile.of(TEN, percent / 100.0));
    }
  }
}
