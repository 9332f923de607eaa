package dev.headway.cuda.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.request.SamplingParams;
import dev.headway.api.request.StopRule;
import dev.headway.api.request.TokenBias;
import dev.headway.api.step.TokenConstraints;
import dev.headway.cuda.emulation.OnCudaDriver;
import dev.headway.executor.sampling.TokenMask;
import dev.headway.executor.sampling.TokenRules;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Biases, bans and masks on the device change the bits that they change in Java. */
@OnCudaDriver
class TokenRuleKernelsTest {
  private static final int ROWS = 9;

  @ParameterizedTest
  @ValueSource(ints = {1, 31, 32, 97, 1024, 1025, 8192, 9001})
  void shouldMaskWhatHasNoBitAndNothingElse(int vocabulary) {
    final int words = TokenConstraints.wordsPerRow(vocabulary);
    KernelFixture.inEveryOrder(
        given -> {
          final float[] logits = gaussian(given, ROWS * vocabulary);
          final int[] masks = given.random.ints(4 * words).toArray();
          masks[0] |= 1; // each mask allows a token
          masks[words] |= 1;
          masks[2 * words] |= 1;
          Arrays.fill(masks, 3 * words, 4 * words, -1);
          final int[] maskOf = {2, -1, 0, 3, 1, 1, -1, 0, 2};
          final long address = given.upload(logits);

          given
              .kernels
              .tokenRules()
              .mask(
                  given.stream,
                  address,
                  given.upload(masks),
                  given.upload(maskOf),
                  ROWS,
                  vocabulary);

          final float[] actual = given.downloadFloats(address, logits.length);
          for (int row = 0; row < ROWS; row++) {
            final float[] expected = rowOf(logits, row, vocabulary);
            if (maskOf[row] >= 0) {
              final int from = maskOf[row] * words;
              TokenMask.apply(expected, Arrays.copyOfRange(masks, from, from + words));
            }
            assertThat(rowOf(actual, row, vocabulary))
                .as("row=%d, vocabulary=%d, seed=%d", row, vocabulary, given.seed)
                .containsExactly(expected);
          }
        });
  }

  /** Many more rules than threads, and tokens that have a bias and are banned as well. */
  @Test
  void shouldAddBiasesAndThenBan() {
    final int vocabulary = 700;
    KernelFixture.inEveryOrder(
        given -> {
          final float[] logits = gaussian(given, ROWS * vocabulary);
          final float[] expected = logits.clone();
          final List<Integer> begin = new ArrayList<>();
          final List<Integer> rules = new ArrayList<>();
          for (int row = 0; row < ROWS; row++) {
            begin.add(rules.size() / TokenRuleKernels.RULE_INTS);
            if (row % 4 != 3) {
              final SamplingParams params = writeRow(given, vocabulary, begin, rules);
              final float[] changed = rowOf(logits, row, vocabulary);
              TokenRules.apply(changed, params, StopRule.maxTokens(1), new int[] {0}, 1, 1);
              System.arraycopy(changed, 0, expected, row * vocabulary, vocabulary);
            } else {
              begin.add(rules.size() / TokenRuleKernels.RULE_INTS);
            }
          }
          begin.add(rules.size() / TokenRuleKernels.RULE_INTS);
          final long address = given.upload(logits);

          given
              .kernels
              .tokenRules()
              .apply(
                  given.stream,
                  address,
                  given.upload(ints(begin)),
                  given.upload(ints(rules)),
                  ROWS,
                  vocabulary);

          assertThat(given.downloadFloats(address, logits.length))
              .as("seed=%d", given.seed)
              .containsExactly(expected);
        });
  }

  /** Half of the bans compare two numbers that differ, and so ban nothing. */
  private static SamplingParams writeRow(
      KernelFixture given, int vocabulary, List<Integer> begin, List<Integer> rules) {
    final Map<Integer, Float> biases = new HashMap<>();
    for (int i = 0; i < 300; i++) {
      biases.put(given.random.nextInt(vocabulary), (float) given.random.nextGaussian() * 50);
    }
    TokenBias bias = TokenBias.NONE.withBiases(biases);
    for (int i = 0; i < bias.biasedTokens(); i++) {
      rules.addAll(List.of(bias.tokenId(i), Float.floatToRawIntBits(bias.bias(i)), 0));
    }
    begin.add(rules.size() / TokenRuleKernels.RULE_INTS);
    for (int i = 0; i < 200; i++) {
      final int token = given.random.nextInt(vocabulary);
      final int seen = given.random.nextInt(vocabulary);
      if (i % 2 == 0) {
        bias = bias.withBan(token);
      }
      rules.addAll(List.of(token, seen, i % 2 == 0 ? seen : seen + 1));
    }
    return SamplingParams.builder().tokenBias(bias).build();
  }

  private static float[] gaussian(KernelFixture given, int count) {
    final float[] values = new float[count];
    for (int i = 0; i < count; i++) {
      values[i] = (float) given.random.nextGaussian() * 3;
    }
    return values;
  }

  private static float[] rowOf(float[] rows, int row, int width) {
    return Arrays.copyOfRange(rows, row * width, (row + 1) * width);
  }

  private static int[] ints(List<Integer> values) {
    return values.stream().mapToInt(Integer::intValue).toArray();
  }
}
