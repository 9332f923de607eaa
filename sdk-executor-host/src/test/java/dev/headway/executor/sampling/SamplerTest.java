package dev.headway.executor.sampling;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.request.SamplingParams;
import org.junit.jupiter.api.Test;

class SamplerTest {

  private static final int DRAWS = 40_000;

  @Test
  void shouldTakeTheLargestLogitAndTheLowestIdOfEqualsWhenGreedy() {
    assertThat(sample(SamplingParams.GREEDY, 0, 1, 3, 2, 3)).isEqualTo(1);
    assertThat(sample(SamplingParams.GREEDY, 0, Float.NEGATIVE_INFINITY, -5, -5)).isEqualTo(1);
  }

  @Test
  void shouldTakeTheLargestLogitWhereTheTemperatureMakesItInfinite() {
    final SamplingParams params = SamplingParams.builder().temperature(1e-5f).topP(0.9f).build();

    assertThat(sample(params, 0, 3e38f, -3e38f, Float.MAX_VALUE, Float.MAX_VALUE)).isEqualTo(2);
  }

  @Test
  void shouldDrawEachTokenAsOftenAsTheSoftmaxSays() {
    final double[] masses = {0.4, 0.3, 0.15, 0.1, 0.04, 0.01};
    final SamplingParams params = SamplingParams.builder().temperature(1).seed(20261121).build();

    // 5 degrees of freedom: 20.5 is exceeded in 1 of 1,000 runs of a right sampler
    assertThat(chiSquare(masses, params, masses)).isLessThan(20.5);
  }

  @Test
  void shouldDrawFromTheTemperedSoftmaxOfWhatTheFiltersLeft() {
    // at temperature 2 masses are square roots: 4 3 2 1 of 16 9 4 1, of which top-k leaves three
    final double[] masses = {4 / 9., 3 / 9., 2 / 9., 0};
    final SamplingParams params = SamplingParams.builder().temperature(2).topK(3).seed(77).build();

    // 2 degrees of freedom
    assertThat(chiSquare(masses, params, 16, 9, 4, 1)).isLessThan(13.8);
  }

  @Test
  void shouldDependOnSeedAndPositionOnly() {
    final SamplingParams params = SamplingParams.builder().temperature(1).seed(5).build();
    final float[] logits = new float[50];
    final int[] first = new int[100];
    int changedBySeed = 0;
    for (int position = 0; position < 100; position++) {
      first[position] = sample(params, position, logits);
      changedBySeed +=
          sample(params.toBuilder().seed(6).build(), position, logits) != first[position] ? 1 : 0;
    }

    for (int position = 99; position >= 0; position--) {
      assertThat(sample(params, position, logits)).isEqualTo(first[position]);
    }
    assertThat(changedBySeed).isGreaterThan(80);
    assertThat(first).isNotEqualTo(new int[100]);
  }

  /** Draws at many positions from logits that are the logarithms of {@code weights}. */
  private static double chiSquare(double[] masses, SamplingParams params, double... weights) {
    final Sampler sampler = new Sampler(masses.length);
    final int[] drawn = new int[masses.length];
    final float[] logits = new float[masses.length];
    for (int position = 0; position < DRAWS; position++) {
      for (int token = 0; token < logits.length; token++) {
        logits[token] = (float) Math.log(weights[token]);
      }
      drawn[sampler.sample(logits, params, position)]++;
    }
    double sum = 0;
    for (int token = 0; token < masses.length; token++) {
      final double expected = DRAWS * masses[token];
      if (expected == 0) {
        assertThat(drawn[token]).as("draws of a dropped token").isZero();
      } else {
        sum += (drawn[token] - expected) * (drawn[token] - expected) / expected;
      }
    }
    return sum;
  }

  private static int sample(SamplingParams params, int position, float... logits) {
    return new Sampler(logits.length).sample(logits.clone(), params, position);
  }
}
