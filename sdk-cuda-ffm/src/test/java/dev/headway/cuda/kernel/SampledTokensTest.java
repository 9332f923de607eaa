package dev.headway.cuda.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.request.SamplingParams;
import dev.headway.cuda.emulation.Emulator;
import dev.headway.cuda.emulation.OnCudaDriver;
import dev.headway.cuda.emulation.TestSeed;
import dev.headway.executor.sampling.Sampler;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * For rows as long as models make them, in many parts: the token of {@link Sampler} for the same
 * seed, whatever the logits and the filters.
 */
@OnCudaDriver
class SampledTokensTest {
  private static final SamplingParams[] FILTERS = {
    SamplingParams.builder().temperature(1).build(),
    SamplingParams.builder().temperature(0.8f).topP(0.95f).build(),
    SamplingParams.builder().temperature(0.7f).topK(50).topP(0.9f).build(),
    SamplingParams.builder().temperature(1.3f).topK(6000).topP(0.6f).build(),
    SamplingParams.builder().temperature(1.2f).minP(0.05f).topK(20_000).build(),
  };

  private enum Distribution {
    NORMAL,
    ALL_EQUAL,
    ONE_AHEAD,
    HALF_MASKED,
    BFLOAT16,
    /** Of masses below 2^16, which come to more than that of the one ahead. */
    TWO_LEVELS,
    /** All but one closer to zero than any bin is wide: the limit is found by the last bits. */
    NEAR_ZERO;

    float[] logits(int vocabulary, Random random) {
      final float[] logits = new float[vocabulary];
      for (int i = 0; i < vocabulary; i++) {
        final float normal = (float) random.nextGaussian();
        logits[i] =
            switch (this) {
              case NORMAL -> 3 * normal;
              case ALL_EQUAL -> 1.25f;
              case ONE_AHEAD -> i == vocabulary / 3 ? 12 : normal;
              case HALF_MASKED -> random.nextBoolean() ? 3 * normal : Float.NEGATIVE_INFINITY;
              case TWO_LEVELS -> i == vocabulary / 3 ? 0 : i % 2 == 0 ? -9.05f : -9;
              case BFLOAT16 -> Bf16.toFloat(Bf16.of(3 * normal));
              case NEAR_ZERO -> i == vocabulary / 2 ? 10 : normal * 1e-9f;
            };
      }
      return logits;
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {32_000, 128_256, 151_936})
  void shouldBeThoseOfTheDefinition(int vocabulary) {
    final Random random = new Random(TestSeed.VALUE + vocabulary);
    final Distribution[] distributions = Distribution.values();
    int decided = 0;
    Emulator.schedule(Emulator.ThreadOrder.FORWARD, Emulator.Streams.LAZY);
    try (KernelFixture given = new KernelFixture()) {
      for (SamplingParams filter : FILTERS) {
        final float[][] rows = new float[distributions.length][];
        final SamplingParams[] params = new SamplingParams[rows.length];
        for (int row = 0; row < rows.length; row++) {
          rows[row] = distributions[row].logits(vocabulary, random);
          params[row] = filter.toBuilder().seed(random.nextLong()).build();
        }

        final int[] tokens = sample(given, rows, params);

        for (int row = 0; row < rows.length; row++) {
          final String what = distributions[row] + ", " + params[row];
          decided += check(what, rows[row], params[row], row, tokens[row]) ? 1 : 0;
        }
      }
    }
    assertThat(decided).as("rows far from every limit").isGreaterThan(30);
  }

  /** The position of a row is its number. */
  private static int[] sample(KernelFixture given, float[][] rows, SamplingParams... params) {
    final int vocabulary = rows[0].length;
    final float[] logits = new float[rows.length * vocabulary];
    final float[] real = new float[rows.length * SamplingKernels.REAL_PARAMETERS];
    final int[] whole = new int[rows.length * SamplingKernels.WHOLE_PARAMETERS];
    int narrowings = SamplingKernels.SURVEY_ONLY;
    for (int row = 0; row < rows.length; row++) {
      final SamplingParams of = params[row];
      System.arraycopy(rows[row], 0, logits, row * vocabulary, vocabulary);
      real[row * 3] = of.temperature();
      real[row * 3 + 1] = of.topP();
      real[row * 3 + 2] = of.minP();
      whole[row * 4] = of.topK();
      whole[row * 4 + 1] = row;
      whole[row * 4 + 2] = (int) of.seed();
      whole[row * 4 + 3] = (int) (of.seed() >>> 32);
      narrowings =
          Math.max(
              narrowings,
              SamplingKernels.narrowings(of.temperature(), of.topK(), of.topP(), of.minP()));
    }
    final long token = given.allocate(4L * rows.length);
    given
        .kernels
        .sampling()
        .sample(
            given.stream,
            given.sampleState(rows.length),
            token,
            0,
            0,
            given.upload(logits),
            given.upload(real),
            given.upload(whole),
            rows.length,
            0,
            vocabulary,
            narrowings);
    return given.downloadInts(token, rows.length);
  }

  /** Compares unless the draw is a near thing; whether it was none. */
  private static boolean check(
      String what, float[] logits, SamplingParams params, int position, int token) {
    final SamplingOracle.Row row =
        new SamplingOracle.Row(
            params.temperature(),
            params.topK(),
            params.topP(),
            params.minP(),
            params.seed(),
            position);
    final SamplingOracle.Draw wide = SamplingOracle.draw(logits, row, 1e-6);
    final SamplingOracle.Draw narrow = SamplingOracle.draw(logits, row, -1e-6);
    if (wide.token() != narrow.token() || wide.margin() <= 1e-4) {
      return false;
    }
    final float[] overwritten = logits.clone();
    final int expected = new Sampler(logits.length).sample(overwritten, params, position);
    assertThat(token).as(what).isEqualTo(expected).isEqualTo(wide.token());
    return true;
  }

  /**
   * exp(-0.25) is below 0.8, whose logarithm is nearer to that of 0.25 less than to any other
   * float's.
   */
  @Test
  void shouldKeepNothingBelowMinPWhereFloatsAreFarApart() {
    final float[] logits = {30, 30};
    while (logits[1] / 1e-5f == logits[0] / 1e-5f) {
      logits[1] = Math.nextDown(logits[1]);
    }
    assertThat(logits[0] / 1e-5f - logits[1] / 1e-5f).isEqualTo(0.25f);
    KernelFixture.inEveryOrder(
        given -> {
          for (long seed = 0; seed < 20; seed++) {
            final SamplingParams params =
                SamplingParams.builder().temperature(1e-5f).minP(0.8f).seed(seed).build();
            assertThat(sample(given, new float[][] {logits}, params)[0])
                .as("seed=%d", seed)
                .isEqualTo(new Sampler(2).sample(logits.clone(), params, 0))
                .isZero();
          }
        });
  }

  /** 30 / 1e-5 has an ulp of 0.25; 3e38 / 1e-5 is infinite and so taken as it is. */
  @Test
  void shouldStandTheSmallestTemperature() {
    final SamplingParams params =
        SamplingParams.builder().temperature(1e-5f).topK(40).topP(0.9f).seed(7).build();
    final float[] usual = new float[300];
    final float[] huge = new float[300];
    for (int i = 0; i < 300; i++) {
      usual[i] = 30 - i * 1e-5f;
      huge[i] = i == 200 ? Float.MAX_VALUE : 3e38f;
    }
    KernelFixture.inEveryOrder(
        given -> {
          for (float[] row : new float[][] {usual, huge}) {
            for (int topK : new int[] {0, 40}) {
              final SamplingParams of = params.toBuilder().topK(topK).build();
              assertThat(sample(given, new float[][] {row}, of)[0])
                  .isEqualTo(new Sampler(300).sample(row.clone(), of, 0));
            }
          }
        });
  }
}
