package dev.headway.cuda.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.step.TokenLogprobs;
import dev.headway.cuda.emulation.OnCudaDriver;
import dev.headway.executor.sampling.Logprobs;
import java.util.Arrays;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Log-probabilities, ranks and the likeliest tokens are those of {@link Logprobs}. */
@OnCudaDriver
class LogProbabilityKernelTest {
  private static final Offset<Float> ROUNDING = Offset.offset(2e-5f);
  private static final int INTS = SamplingKernels.LOGPROB_ANSWER_BYTES / 4;
  private static final int[] WANTED = {0, 20, 1, 7, SamplingKernels.NOT_WANTED, 20};

  /** Whole numbers, so that there are ties; then all equal, ascending, and close to each other. */
  private static float[] logits(KernelFixture given, int rows, int vocabulary) {
    final float[] logits = new float[rows * vocabulary];
    for (int i = 0; i < logits.length; i++) {
      final int token = i % vocabulary;
      logits[i] =
          switch (i / vocabulary % 4) {
            case 0 -> given.random.nextInt(-20, 20);
            case 1 -> 1.25f;
            case 2 -> token * 1e-3f;
            default -> (float) given.random.nextGaussian() * 3;
          };
    }
    return logits;
  }

  private static int[] answers(
      KernelFixture given, float[] logits, int[] tokens, int[] wanted, int vocabulary) {
    final int[] untouched = new int[tokens.length * INTS];
    Arrays.fill(untouched, -7);
    final long state = given.upload(new int[tokens.length * SamplingKernels.LOGPROB_STATE_BYTES]);
    final long rows = given.upload(logits);
    long answer = 0;
    for (int turn = 0; turn < 2; turn++) { // the second finds what the first has left
      answer = given.upload(untouched);
      given
          .kernels
          .sampling()
          .logProbabilities(
              given.stream,
              state,
              answer,
              rows,
              given.upload(tokens),
              given.upload(wanted),
              tokens.length,
              vocabulary);
    }
    return given.downloadInts(answer, untouched.length);
  }

  private static void check(KernelFixture given, int vocabulary) {
    final int rows = WANTED.length;
    final float[] logits = logits(given, rows, vocabulary);
    final int[] tokens = new int[rows];
    Arrays.setAll(tokens, row -> given.random.nextInt(vocabulary));

    final int[] answers = answers(given, logits, tokens, WANTED, vocabulary);

    for (int row = 0; row < rows; row++) {
      final int[] answer = Arrays.copyOfRange(answers, row * INTS, (row + 1) * INTS);
      if (WANTED[row] == SamplingKernels.NOT_WANTED) {
        assertThat(answer).containsOnly(-7);
        continue;
      }
      final float[] raw = Arrays.copyOfRange(logits, row * vocabulary, (row + 1) * vocabulary);
      final TokenLogprobs expected = Logprobs.of(raw, tokens[row], WANTED[row]);
      final int top = expected.topIds().length;
      assertThat(Float.intBitsToFloat(answer[0]))
          .as("row=%d, seed=%d", row, given.seed)
          .isCloseTo(expected.logprob(), ROUNDING);
      assertThat(answer[1]).as("rank, row=%d, seed=%d", row, given.seed).isEqualTo(expected.rank());
      assertThat(Arrays.copyOfRange(answer, 2, 2 + top))
          .as("row=%d, seed=%d", row, given.seed)
          .isEqualTo(expected.topIds());
      for (int i = 0; i < top; i++) {
        assertThat(Float.intBitsToFloat(answer[2 + SamplingKernels.MAX_TOP + i]))
            .isCloseTo(expected.topLogprobs()[i], ROUNDING);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 8, 1000, 9001})
  void shouldBeThoseOfTheDefinition(int vocabulary) {
    KernelFixture.inEveryOrder(given -> check(given, vocabulary));
  }

  /** More pieces than parts: the second piece of a part meets what was taken of the first. */
  @Test
  void shouldBeThoseOfTheDefinitionOfTheLargestVocabularies() {
    try (KernelFixture given = new KernelFixture()) {
      check(given, 128_256);
      check(given, 300_000);
    }
  }

  @Test
  void shouldBeNaNForNoToken() {
    try (KernelFixture given = new KernelFixture()) {
      final float[] logits = {1, 2, 3};
      final int[] answer =
          answers(given, logits, new int[] {SamplingKernels.NO_TOKEN}, new int[] {0}, 3);

      assertThat(Float.intBitsToFloat(answer[0])).isNaN();
      assertThat(answer[1]).isZero();
    }
  }
}
