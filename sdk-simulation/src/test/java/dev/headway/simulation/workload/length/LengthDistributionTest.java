package dev.headway.simulation.workload.length;

import static dev.headway.simulation.workload.Sample.normalCdf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.simulation.workload.RandomStream;
import dev.headway.simulation.workload.Sample;
import dev.headway.simulation.workload.WorkloadRequest;
import java.util.Map;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Lengths against their distributions: mean, variation, Kolmogorov-Smirnov distance. */
class LengthDistributionTest {
  private static final long SEED = 3;
  private static final int DRAWS = 100_000;

  @Test
  void shouldDrawOneLength() {
    sample(LengthDistribution.constant(128)).hasMoments("constant", 128, 0, 1e-12);
  }

  @Test
  void shouldDrawEveryLengthOfARange() {
    shouldFit(
        "uniform",
        LengthDistribution.uniform(10, 19),
        14.5,
        Math.sqrt(99 / 12.0) / 14.5,
        k -> (k - 9) / 10);
  }

  @Test
  void shouldMoveWhatANormalHasOutsideToTheBounds() {
    final Sample drawn = sample(LengthDistribution.normal(256, 100, 200, 300));

    assertThat(drawn.distanceOfIntegers(k -> k >= 300 ? 1 : normalCdf((k + 0.5 - 256) / 100)))
        .as("seed " + SEED)
        .isLessThan(drawn.limit());
    assertThat(drawn.sorted()[0]).isEqualTo(200);
    assertThat(drawn.sorted()[DRAWS - 1]).isEqualTo(300);
  }

  @Test
  void shouldDrawNormals() {
    shouldFit(
        "normal",
        LengthDistribution.normal(4096, 500, 100, 8192),
        4096,
        500 / 4096.0,
        k -> normalCdf((k + 0.5 - 4096) / 500));
  }

  @Test
  void shouldDrawLogNormals() {
    shouldFit(
        "log-normal",
        LengthDistribution.logNormal(6, 0.5),
        Math.exp(6 + 0.125),
        Math.sqrt(Math.exp(0.25) - 1),
        k -> normalCdf((Math.log(k + 0.5) - 6) / 0.5));
  }

  @Test
  void shouldDrawExponentials() {
    shouldFit(
        "exponential",
        LengthDistribution.exponential(300),
        300,
        1,
        k -> 1 - Math.exp(-(k + 0.5) / 300));
  }

  @Test
  void shouldMixAParetoTailIntoALogNormalBody() {
    final double alpha = 4;
    final double paretoMean = alpha / (alpha - 1) * 1_000;
    final double bodyMean = Math.exp(5 + 0.08);
    final double mean = 0.25 * paretoMean + 0.75 * bodyMean;
    final double square = 0.25 * alpha / (alpha - 2) * 1e6 + 0.75 * Math.exp(2 * 5 + 2 * 0.16);
    shouldFit(
        "mixture",
        LengthDistribution.paretoLogNormal(alpha, 1_000, 5, 0.4, 0.25),
        mean,
        Math.sqrt(square - mean * mean) / mean,
        k ->
            0.75 * normalCdf((Math.log(k + 0.5) - 5) / 0.4)
                + 0.25 * Math.max(0, 1 - Math.pow(1_000 / (k + 0.5), alpha)));
  }

  @Test
  void shouldDrawByZipfsLaw() {
    final double[] weights =
        IntStream.rangeClosed(1, 1_000).mapToDouble(k -> 1 / Math.pow(k, 1.2)).toArray();
    double sum = 0;
    double mean = 0;
    double square = 0;
    final double[] upTo = new double[1_001];
    for (int k = 1; k <= 1_000; k++) {
      sum += weights[k - 1];
      mean += weights[k - 1] * k;
      square += weights[k - 1] * k * k;
      upTo[k] = sum;
    }
    final double all = sum;
    mean /= sum;
    shouldFit(
        "Zipf",
        LengthDistribution.zipf(1.2, 1_000),
        mean,
        Math.sqrt(square / sum - mean * mean) / mean,
        k -> upTo[(int) k] / all);
  }

  @Test
  void shouldDrawGivenLengthsByTheirWeights() {
    final Map<Integer, Double> weights = Map.of(10, 1.0, 20, 2.0, 30, 0.0, 40, 1.0);
    shouldFit(
        "empirical",
        LengthDistribution.empirical(weights),
        22.5,
        Math.sqrt(118.75) / 22.5,
        k -> k < 20 ? 0.25 : k < 40 ? 0.75 : 1);
  }

  @Test
  void shouldClipWithoutDrawingAgain() {
    final LengthDistribution given = LengthDistribution.exponential(100);
    final RandomStream plain = RandomStream.of(SEED, "plain");
    final RandomStream clipped = RandomStream.of(SEED, "plain");

    for (int i = 0; i < 1_000; i++) {
      assertThat(given.clipped(50, 120).draw(clipped))
          .isEqualTo(Math.clamp(given.draw(plain), 50, 120));
    }
  }

  @Test
  void shouldStayWithinWhatARequestMayHave() {
    final Sample drawn = sample(LengthDistribution.paretoLogNormal(0.1, 1, 0, 3, 0.5));

    assertThat(drawn.sorted()[0]).isEqualTo(1);
    assertThat(drawn.sorted()[DRAWS - 1]).isEqualTo(WorkloadRequest.MAX_TOKENS);
  }

  @Test
  void shouldSayWhatMustHold() {
    assertThatThrownBy(() -> LengthDistribution.uniform(9, 8))
        .hasMessage("min must be <= max: max=8, min=9");
    assertThatThrownBy(() -> LengthDistribution.constant(0))
        .hasMessage("tokens must be in [1, 16777216]: tokens=0");
    assertThatThrownBy(() -> LengthDistribution.empirical(Map.of(3, 0.0)))
        .hasMessage("weights must have a finite sum > 0: sum=0.0");
    assertThatThrownBy(() -> LengthDistribution.exponential(Double.NaN))
        .hasMessage("mean must be finite and > 0: mean=NaN");
    assertThatThrownBy(() -> LengthDistribution.zipf(-1, 5))
        .hasMessage("exponent must be in [0, 20]: exponent=-1.0");
  }

  private static void shouldFit(
      String name,
      LengthDistribution given,
      double mean,
      double variation,
      DoubleUnaryOperator cdf) {
    final Sample drawn = sample(given);

    drawn.hasMoments(name + ", seed " + SEED, mean, variation, 0.02);
    assertThat(drawn.distanceOfIntegers(cdf)).as(name + ", seed " + SEED).isLessThan(drawn.limit());
  }

  private static Sample sample(LengthDistribution given) {
    final RandomStream random = RandomStream.of(SEED, "length");
    return Sample.of(() -> given.draw(random), DRAWS);
  }
}
