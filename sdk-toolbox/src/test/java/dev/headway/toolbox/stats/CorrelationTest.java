package dev.headway.toolbox.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class CorrelationTest {

  private static final double[] X = {1, 2, 3, 4, 5};
  private static final double[] CUBES = {1, 8, 27, 64, 125};

  @Test
  void shouldCorrelateRanksAndValues() {
    assertThat(Correlation.spearman(X, CUBES)).isCloseTo(1, within(1e-12));
    assertThat(Correlation.pearson(X, CUBES)).isBetween(0.9, 0.95);
  }

  @Test
  void shouldBeUndefinedWithoutVariation() {
    assertThat(Correlation.pearson(X, new double[] {4, 4, 4, 4, 4})).isNaN();
    assertThat(Correlation.pearson(new double[] {1}, new double[] {2})).isNaN();
    assertThat(Correlation.spearman(new double[0], new double[0])).isNaN();
  }

  @Test
  void shouldShareTheRankOfEqualValues() {
    final double[] one = {1, 2, 3, 4};

    assertThat(Correlation.spearman(one, new double[] {5, 5, 1, 1}))
        .isCloseTo(-0.894, within(1e-3));
    assertThat(Correlation.pearson(one, new double[] {2, 4, 6, 8})).isCloseTo(1, within(1e-12));
  }
}
