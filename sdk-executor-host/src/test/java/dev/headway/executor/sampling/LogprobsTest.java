package dev.headway.executor.sampling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.headway.api.step.TokenLogprobs;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LogprobsTest {

  @Test
  void shouldTellTheLogSoftmaxAndTheRank() {
    final float[] logits = {(float) Math.log(2), (float) Math.log(1), (float) Math.log(5)};

    final TokenLogprobs logprobs = Logprobs.of(logits, 0, 2);

    assertThat(logprobs.logprob()).isCloseTo((float) Math.log(2 / 8.), within(1e-6f));
    assertThat(logprobs.rank()).isEqualTo(2);
    assertThat(logprobs.topIds()).containsExactly(2, 0);
    assertThat(logprobs.topLogprobs()[0]).isCloseTo((float) Math.log(5 / 8.), within(1e-6f));
    assertThat(logprobs.topLogprobs()[1]).isEqualTo(logprobs.logprob());
  }

  @Test
  void shouldPutTheLowestIdOfEqualsFirstAndCountEqualsInTheRank() {
    final TokenLogprobs logprobs = Logprobs.of(new float[] {1, 3, 3, 1}, 1, 3);

    assertThat(logprobs.topIds()).containsExactly(1, 2, 0);
    assertThat(logprobs.rank()).isEqualTo(2);
  }

  @Test
  void shouldTellNoMoreThanTheVocabularyAndNoneWhenNoneAreAsked() {
    assertThat(Logprobs.of(new float[] {1, 2}, 0, 5).topIds()).containsExactly(1, 0);
    assertThat(Logprobs.of(new float[] {1, 2}, 0, 0).topIds()).isEmpty();
  }

  @Test
  void shouldStandWideLogitsWithoutOverflow() {
    final TokenLogprobs logprobs = Logprobs.of(new float[] {3e38f, -3e38f}, 0, 2);

    assertThat(logprobs.logprob()).isEqualTo(0f);
    assertThat(logprobs.topLogprobs()[1]).isEqualTo(Float.NEGATIVE_INFINITY);
  }

  @Test
  void shouldFindTheLargestOfRandomLogitsInOrder() {
    final long seed = System.nanoTime();
    final Random random = new Random(seed);
    for (int i = 0; i < 500; i++) {
      final float[] logits = new float[1 + random.nextInt(60)];
      for (int token = 0; token < logits.length; token++) {
        logits[token] = random.nextInt(20);
      }
      final int top = random.nextInt(25);
      final int[] expected =
          IntStream.range(0, logits.length)
              .boxed()
              .sorted((a, b) -> Float.compare(logits[b], logits[a])) // stable
              .limit(top)
              .mapToInt(Integer::intValue)
              .toArray();

      assertThat(Logprobs.of(logits, 0, top).topIds()).as("seed=%d", seed).isEqualTo(expected);
    }
  }
}
