package dev.headway.simulation.workload.arrival;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.headway.simulation.workload.RandomStream;
import dev.headway.simulation.workload.Sample;
import java.util.function.DoubleUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Gaps against their distributions. */
class GapsTest {
  private static final long SEED = 11;
  private static final int DRAWS = 100_000;

  @Test
  void shouldDrawEqualGaps() {
    sample("constant", Gaps.constant()).hasMoments("constant", 1, 0, 1e-12);
  }

  @Test
  void shouldDrawExponentialGaps() {
    shouldFit("exponential", Gaps.exponential(), 1, x -> 1 - Math.exp(-x));
  }

  /** Gamma of variation sqrt(2) has shape 1/2: the square of a standard normal. */
  @Test
  void shouldDrawGammaGapsByTheirVariation() {
    final double variation = Math.sqrt(2);
    shouldFit(
        "gamma", Gaps.gamma(variation), variation, x -> 2 * Sample.normalCdf(Math.sqrt(x)) - 1);
  }

  @Test
  void shouldDrawGammaGapsByTheirShape() {
    sample("gamma", Gaps.gammaOfShape(4)).hasMoments("gamma", 1, 0.5, 0.02);
    assertThat(Gaps.gammaOfShape(1).next(random())).isEqualTo(Gaps.exponential().next(random()));
  }

  /** With k = 2, the Weibull distribution is Rayleigh's: variation sqrt(4 / pi - 1). */
  @Test
  void shouldDrawWeibullGapsThatAreSmooth() {
    shouldFit(
        "Weibull of shape 2",
        Gaps.weibull(Math.sqrt(4 / Math.PI - 1)),
        Math.sqrt(4 / Math.PI - 1),
        x -> 1 - Math.exp(-Math.PI / 4 * x * x));
  }

  /** With k = 1/2: scale 1/2, variation sqrt(5). */
  @Test
  void shouldDrawWeibullGapsThatAreBursty() {
    final Gaps given = Gaps.weibull(Math.sqrt(5));

    final Sample drawn = sample("Weibull of shape 1/2", given);

    drawn.hasMoments("Weibull of shape 1/2, seed " + SEED, 1, Math.sqrt(5), 0.04);
    assertThat(drawn.distance(x -> 1 - Math.exp(-Math.sqrt(2 * x)))).isLessThan(drawn.limit());
  }

  @ParameterizedTest
  @ValueSource(doubles = {0.01, 0.1, 0.5, 1, 2})
  void shouldFindTheShapeOfEveryVariation(double variation) {
    sample("Weibull", Gaps.weibull(variation))
        .hasMoments("Weibull, variation " + variation, 1, variation, 0.03);
  }

  @Test
  void shouldKnowTheGammaFunction() {
    assertThat(Math.exp(WeibullGaps.logGamma(5))).isCloseTo(24, within(1e-11));
    assertThat(Math.exp(WeibullGaps.logGamma(1.5)))
        .isCloseTo(Math.sqrt(Math.PI) / 2, within(1e-13));
    assertThat(WeibullGaps.logGamma(21)).isCloseTo(42.335616460753485, within(1e-11));
  }

  @Test
  void shouldSayWhatVariationsThereAre() {
    assertThatThrownBy(() -> Gaps.weibull(11))
        .hasMessage(
            "coefficient of variation of Weibull gaps must be in [0.01, 10.4]: coefficient of"
                + " variation of Weibull gaps=11.0");
    assertThatThrownBy(() -> Gaps.gamma(Double.NaN)).hasMessageContaining("must be in [0.1, 10.0]");
  }

  private static void shouldFit(
      String name, Gaps given, double variation, DoubleUnaryOperator cdf) {
    final Sample drawn = sample(name, given);

    drawn.hasMoments(name + ", seed " + SEED, 1, variation, 0.02);
    assertThat(drawn.distance(cdf)).as(name + ", seed " + SEED).isLessThan(drawn.limit());
  }

  private static Sample sample(String purpose, Gaps given) {
    final RandomStream random = RandomStream.of(SEED, purpose);
    return Sample.of(() -> given.next(random), DRAWS);
  }

  private static RandomStream random() {
    return RandomStream.of(SEED, "one");
  }
}
