package dev.headway.toolbox.stats;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SortedSampleTest {

  @Test
  void shouldTakeTheMedianOfTheDistancesFromTheMedian() {
    final Random random = new Random(11);
    for (int count = 1; count <= 40; count++) {
      final double[] values = random.ints(count, 0, 20).asDoubleStream().sorted().toArray();
      final SortedSample samples = SortedSample.ofAscending(values);
      final double median = samples.quantile(0.5);
      final double[] distances =
          Arrays.stream(values).map(value -> Math.abs(value - median)).sorted().toArray();

      assertThat(samples.medianAbsoluteDeviation())
          .isEqualTo(SortedSample.ofAscending(distances).quantile(0.5));
    }
    assertThat(SortedSample.ofAscending(new double[0]).medianAbsoluteDeviation()).isNaN();
  }

  @Test
  void shouldBeAbsentOfNoFigures() {
    final SortedSample none = SortedSample.of(new double[0]);

    assertThat(none.count()).isZero();
    assertThat(none.mean()).isNaN();
    assertThat(none.standardDeviation()).isNaN();
    assertThat(none.median()).isNaN();
    assertThat(none.max()).isNaN();
  }

  @Test
  void shouldSpreadAsThePopulation() {
    final SortedSample given = SortedSample.of(new double[] {4, 2, 9, 4, 5, 5, 7, 4});

    assertThat(given.mean()).isEqualTo(5);
    assertThat(given.standardDeviation()).isEqualTo(2);
    assertThat(given.percentile(90)).isEqualTo(given.quantile(0.9));
  }
}
