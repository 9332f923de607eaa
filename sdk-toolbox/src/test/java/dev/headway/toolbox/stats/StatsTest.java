package dev.headway.toolbox.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class StatsTest {

  @Test
  void shouldKeepQuantilesToATenthOfAPercentWhateverTheCount() {
    final Random random = new Random(1);
    final long[] values =
        random.longs(200_000, 0, 1L << 40).map(v -> v >>> random.nextInt(40)).toArray();
    final Distribution distribution = new Distribution(1_000);
    Arrays.stream(values).forEach(distribution::add);
    Arrays.sort(values);

    assertThat(distribution.isExact()).isFalse();
    assertThat(distribution.sum())
        .isEqualTo(Arrays.stream(values).asDoubleStream().sum(), within(1e3));
    for (double quantile : new double[] {0, 0.01, 0.5, 0.9, 0.99, 0.999, 1}) {
      final double exact = values[(int) (quantile * (values.length - 1))];
      assertThat(distribution.quantile(quantile))
          .as("quantile=%s", quantile)
          .isCloseTo(exact, within(Math.max(1, exact * 0.002)));
    }
  }

  @Test
  void shouldFoldWithoutLosingAnything() {
    final FoldingTable table = new FoldingTable(1, 8, 1);
    for (int x = 0; x < 1_000; x++) {
      table.add(0, x, x);
    }

    assertThat(table.width()).isEqualTo(128);
    assertThat(table.used()).isEqualTo(8);
    long count = 0;
    for (int bucket = 0; bucket < table.used(); bucket++) {
      count += table.count(0, bucket);
      assertThat(table.min(0, bucket)).isEqualTo(table.startOf(bucket));
      assertThat(table.max(0, bucket)).isEqualTo(Math.min(999, table.startOf(bucket) + 127));
    }
    assertThat(count).isEqualTo(1_000);
  }

  @Test
  void shouldSpreadAmountsOverTheirTime() {
    final SpreadTable table = new SpreadTable(4, 10);
    table.add(0, 5, 15, 2);
    table.add(1, 0, 80, 1);

    assertThat(table.width()).isEqualTo(20);
    assertThat(table.mean(0, 0)).isEqualTo(1);
    assertThat(table.mean(0, 1)).isZero();
    assertThat(table.mean(1, 3)).isEqualTo(1);
  }

  @Test
  void shouldFindTheCoefficientsOfALinearCost() {
    final Random random = new Random(2);
    final double[][] rows = new double[500][];
    for (int i = 0; i < rows.length; i++) {
      final double prefill = random.nextInt(8_192);
      final double decode = random.nextInt(256);
      rows[i] = new double[] {6.2e6 + 26_300 * prefill + 12_000 * decode, prefill, decode, 7};
    }

    final LinearFit fit = LinearFit.of(rows, 3);

    assertThat(fit.coefficient(1)).isCloseTo(26_300, within(1e-3));
    assertThat(fit.coefficient(2)).isCloseTo(12_000, within(1e-3));
    assertThat(fit.coefficient(0) + 7 * fit.coefficient(3)).isCloseTo(6.2e6, within(1.0));
    assertThat(fit.rSquared(rows)).isCloseTo(1, within(1e-9));
  }

  @Test
  void shouldTellADifferenceFromNoise() {
    final Random random = new Random(3);
    final double[] a = random.doubles(2_000).toArray();
    final double[] same = random.doubles(2_000).toArray();
    final double[] longer = random.doubles(2_000).map(value -> value + 0.2).toArray();

    assertThat(
            MovingBlockBootstrap.difference(a, same, MovingBlockBootstrap.mean()).isSignificant())
        .isFalse();
    assertThat(MovingBlockBootstrap.difference(a, longer, MovingBlockBootstrap.mean()).low())
        .isBetween(0.1, 0.2);
    assertThat(
            MovingBlockBootstrap.difference(a, longer, MovingBlockBootstrap.quantile(0.99))
                .isSignificant())
        .isTrue();
  }

  @Test
  void shouldKnowTheEndsOfFairness() {
    assertThat(Jain.index(new double[] {3, 3, 3, 3})).isEqualTo(1);
    assertThat(Jain.index(new double[] {5, 0, 0, 0})).isEqualTo(0.25);
    assertThat(Jain.index(new double[] {5})).isEqualTo(1);
    assertThat(Jain.index(new double[] {0, 0, 9, 0})).isEqualTo(0.25);
    assertThat(Jain.index(new double[] {1, 2, 3})).isCloseTo(36.0 / 42, within(1e-12));
    assertThat(Jain.index(new double[] {0, 0})).isNaN();
    assertThat(Jain.index(new double[0])).isNaN();
  }

  @Test
  void shouldSampleEvenly() {
    final EveryKth sample = new EveryKth(16);
    for (int i = 0; i < 100; i++) {
      sample.add(i);
    }
    final RowSample rows = new RowSample(10);
    for (int i = 0; i < 1_000; i++) {
      rows.add(i);
    }

    assertThat(sample.step()).isEqualTo(8);
    assertThat(sample.values()).startsWith(0, 8, 16).endsWith(96);
    assertThat(rows.size()).isEqualTo(10);
    assertThat(Arrays.stream(rows.rows()).mapToDouble(row -> row[0])).isSorted();
  }
}
