package dev.headway.executor.sampling;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.request.SamplingParams;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TokenFilterTest {

  private static final int CASES = 2_000;

  @Test
  void shouldKeepWhatTheSortingOracleKeeps() {
    final long seed = System.nanoTime();
    final Random random = new Random(seed);
    int dropped = 0;
    for (int i = 0; i < CASES; i++) {
      final float[] logits = logits(random);
      final SamplingParams params = params(random);

      final boolean[] expected = oracle(logits, params);
      final float[] filtered = logits.clone();
      new TokenFilter(logits.length).apply(filtered, params);

      for (int token = 0; token < logits.length; token++) {
        assertThat(filtered[token])
            .as("seed=%d, case=%d, token=%d, %s", seed, i, token, params)
            .isEqualTo(expected[token] ? logits[token] : Float.NEGATIVE_INFINITY);
        dropped += expected[token] ? 0 : 1;
      }
    }
    assertThat(dropped).as("tokens dropped, seed=%d", seed).isGreaterThan(CASES);
  }

  @Test
  void shouldKeepAllEqualsOfTheKthLargest() {
    assertThat(filter(params(1, 2, 0), 1, 3, 2, 2, 2)).containsExactly(1, 2, 3, 4);
  }

  /**
   * Masses 1/2, 1/8 four times: the first alone has not 0.6 of the mass, so its equals come too.
   */
  @Test
  void shouldKeepAllEqualsOfTheTokenThatReachesTopP() {
    final float eighth = (float) Math.log(0.25);
    assertThat(filter(params(0.6f, 0, 0), eighth, 0, eighth, eighth, eighth))
        .containsExactly(0, 1, 2, 3, 4);
    assertThat(filter(params(0.4f, 0, 0), eighth, 0, eighth, eighth, eighth)).containsExactly(1);
  }

  @Test
  void shouldKeepTheLikeliestWhateverTheParameters() {
    assertThat(filter(params(1e-6f, 1, 1), 0, 1, 2)).containsExactly(2);
  }

  @Test
  void shouldApplyTopPToTheSoftmaxOfWhatTopKLeft() {
    // masses 4 3 2 1: of all, the first two have 0.7; of the first three, 0.777...
    final float[] logits = {log(4), log(3), log(2), log(1)};
    assertThat(filter(params(0.75f, 0, 0), logits)).containsExactly(0, 1, 2);
    assertThat(filter(params(0.75f, 3, 0), logits)).containsExactly(0, 1);
  }

  @Test
  void shouldCountTopKAmongWhatMinPLeft() {
    // masses 4 3 1 1: min-p 0.5 leaves two, which are no more than k
    final float[] logits = {log(4), log(3), log(1), log(1)};
    assertThat(filter(params(1, 3, 0.5f), logits)).containsExactly(0, 1);
  }

  private static int[] filter(SamplingParams params, float... logits) {
    final float[] filtered = logits.clone();
    new TokenFilter(logits.length).apply(filtered, params);
    return IntStream.range(0, logits.length)
        .filter(token -> filtered[token] != Float.NEGATIVE_INFINITY)
        .toArray();
  }

  /** What each rule says, token by token, from a sorted copy of what the rule before left. */
  private static boolean[] oracle(float[] logits, SamplingParams params) {
    final boolean[] kept = new boolean[logits.length];
    final double max =
        IntStream.range(0, logits.length).mapToDouble(i -> logits[i]).max().orElse(0);
    for (int i = 0; i < kept.length; i++) {
      kept[i] = params.minP() == 0 || Math.exp(logits[i] - max) >= params.minP();
    }
    final double[] afterMinP = descending(logits, kept);
    if (params.topK() > 0 && params.topK() < afterMinP.length) {
      for (int i = 0; i < kept.length; i++) {
        kept[i] &= logits[i] >= afterMinP[params.topK() - 1];
      }
    }
    final double[] afterTopK = descending(logits, kept);
    final double total = Arrays.stream(afterTopK).map(x -> Math.exp(x - max)).sum();
    if (params.topP() < 1) {
      for (int i = 0; i < kept.length; i++) {
        final double own = logits[i];
        final double larger =
            Arrays.stream(afterTopK).filter(x -> x > own).map(x -> Math.exp(x - max)).sum();
        kept[i] &= larger < params.topP() * total;
      }
    }
    return kept;
  }

  private static double[] descending(float[] logits, boolean[] kept) {
    final double[] ascending =
        IntStream.range(0, logits.length)
            .filter(i -> kept[i])
            .mapToDouble(i -> logits[i])
            .sorted()
            .toArray();
    return IntStream.range(0, ascending.length)
        .mapToDouble(i -> ascending[ascending.length - 1 - i])
        .toArray();
  }

  /** Quarters, so that there are ties; some impossible tokens, but never all. */
  private static float[] logits(Random random) {
    final float[] logits = new float[1 + random.nextInt(40)];
    for (int i = 0; i < logits.length; i++) {
      logits[i] =
          random.nextInt(10) == 0
              ? Float.NEGATIVE_INFINITY
              : Math.round(8 * random.nextGaussian()) / 4f;
    }
    logits[random.nextInt(logits.length)] = 1;
    return logits;
  }

  private static SamplingParams params(Random random) {
    return params(
        random.nextInt(3) == 0 ? 1 : 1 - 0.999f * random.nextFloat(),
        random.nextInt(3) == 0 ? 0 : 1 + random.nextInt(20),
        random.nextInt(3) == 0 ? 0 : random.nextFloat());
  }

  private static SamplingParams params(float topP, int topK, float minP) {
    return SamplingParams.builder().temperature(1).topP(topP).topK(topK).minP(minP).build();
  }

  private static float log(double mass) {
    return (float) Math.log(mass);
  }
}
