package dev.headway.cuda.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.cuda.emulation.OnCudaDriver;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a step needs around the choice of its tokens. */
@OnCudaDriver
class StepKernelsTest {

  @ParameterizedTest
  @ValueSource(ints = {1, 33, 1003, 9001, 70_000})
  void shouldFindTheFirstLogitThatIsNoNumber(int vocabulary) {
    KernelFixture.inEveryOrder(
        given -> {
          final int rows = 4;
          final float[] strays = {Float.NaN, Float.NEGATIVE_INFINITY, Float.POSITIVE_INFINITY};
          final float[] logits = new float[rows * vocabulary];
          final int[] first = new int[rows];
          for (int row = 0; row < rows; row++) {
            first[row] =
                row == 3 ? -1 : row == 1 ? vocabulary - 1 : given.random.nextInt(vocabulary);
            for (int i = 0; i < vocabulary; i++) {
              logits[row * vocabulary + i] = i % 2 == 0 ? Float.MAX_VALUE : -Float.MIN_VALUE;
              if (row < 3 && i >= first[row] && (i == first[row] || given.random.nextBoolean())) {
                logits[row * vocabulary + i] = strays[(row + i - first[row]) % 3];
              }
            }
          }
          final long token = given.allocate(4 * rows);
          final long value = given.allocate(4 * rows);
          final long address = given.upload(logits);

          given
              .kernels
              .sampling()
              .firstNotFinite(given.stream, token, value, address, rows, vocabulary);

          assertThat(given.downloadInts(token, rows)).as("seed=%d", given.seed).isEqualTo(first);
          assertThat(given.downloadFloats(value, rows))
              .containsExactly(strays[0], strays[1], strays[2], 0);

          final int checked = 3; // the rows behind are left as they are
          final long sampledToken = given.upload(-7, -7, -7, -7);
          final long sampledValue = given.upload(-7f, -7f, -7f, -7f);
          given
              .kernels
              .sampling()
              .sample(
                  given.stream,
                  given.sampleState(rows),
                  token,
                  sampledToken,
                  sampledValue,
                  address,
                  given.upload(new float[rows * SamplingKernels.REAL_PARAMETERS]),
                  given.upload(new int[rows * SamplingKernels.WHOLE_PARAMETERS]),
                  rows,
                  checked,
                  vocabulary,
                  SamplingKernels.SURVEY_ONLY);

          assertThat(given.downloadInts(sampledToken, rows))
              .as("seed=%d", given.seed)
              .containsExactly(first[0], first[1], first[2], -7);
          assertThat(given.downloadFloats(sampledValue, rows))
              .containsExactly(strays[0], strays[1], strays[2], -7);
        });
  }

  @Test
  void shouldCarryTokensToWhereTheNextStepReadsThem() {
    KernelFixture.inEveryOrder(
        given -> {
          final int count = 300; // more than a block of threads
          final int[] sampled = new int[count];
          final int[] from = new int[count];
          final int[] to = new int[count];
          final int[] expected = new int[2 * count];
          Arrays.fill(expected, -7);
          for (int i = 0; i < count; i++) {
            sampled[i] = i % 5 == 0 ? SamplingKernels.NO_TOKEN : 1000 + i;
            from[i] = i % 3 == 0 ? -1 : count - 1 - i;
            to[i] = 2 * i;
          }
          for (int i = 0; i < count; i++) {
            if (from[i] >= 0) {
              expected[to[i]] = Math.max(0, sampled[from[i]]);
            }
          }
          final int[] before = new int[2 * count];
          Arrays.fill(before, -7);
          final long target = given.upload(before);

          given
              .kernels
              .sampling()
              .carryTokens(
                  given.stream,
                  target,
                  given.upload(sampled),
                  given.upload(from),
                  given.upload(to),
                  count);

          assertThat(given.downloadInts(target, 2 * count)).isEqualTo(expected);
        });
  }
}
