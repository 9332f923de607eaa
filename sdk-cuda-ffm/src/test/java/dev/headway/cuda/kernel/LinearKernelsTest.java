package dev.headway.cuda.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.cuda.emulation.OnCudaDriver;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Products of all variants against double precision, with tails in every direction. */
@OnCudaDriver
class LinearKernelsTest {

  @ParameterizedTest
  @CsvSource({
    "1, 1, 1",
    "1, 100, 64",
    "1, 9, 300",
    "2, 17, 8",
    "3, 33, 288",
    "5, 8, 172",
    "8, 40, 512",
    "9, 64, 32",
    "20, 100, 172",
    "32, 65, 40",
    "33, 64, 64",
    "70, 200, 288",
    "128, 16, 24",
    "129, 513, 33",
    "130, 640, 72"
  })
  void shouldMultiply(int m, int n, int k) {
    KernelFixture.inEveryOrder(
        given -> {
          final short[] x = given.randomBf16(m * k, 1);
          final short[] w = given.randomBf16(n * k, 1);
          final long y = given.allocate(2L * m * n);
          final long logits = given.allocate(4L * m * n);
          final LinearKernels linear = given.kernels.linear();
          final long dx = given.upload(x);
          final long dw = given.upload(w);

          linear.multiply(given.stream, LinearOutput.BF16, y, dx, dw, 0, 0, m, n, k);
          linear.multiply(given.stream, LinearOutput.FP32, logits, dx, dw, 0, 0, m, n, k);

          final double[] expected = product(x, w, m, n, k);
          given.assertClose("bf16", expected, given.downloadBf16(y, m * n));
          final float[] fp32 = given.downloadFloats(logits, m * n);
          for (int i = 0; i < fp32.length; i++) {
            assertThat(Math.abs(fp32[i] - expected[i]))
                .as("fp32: index=%d, seed=%d", i, given.seed)
                .isLessThan(1e-5 * k);
          }
        });
  }

  @ParameterizedTest
  @CsvSource({"1, 30, 64", "8, 24, 40", "40, 70, 96", "150, 600, 16"})
  void shouldAddBiasAndResidualInPlace(int m, int n, int k) {
    KernelFixture.inEveryOrder(
        given -> {
          final short[] x = given.randomBf16(m * k, 1);
          final short[] w = given.randomBf16(n * k, 1);
          final short[] bias = given.randomBf16(n, 10);
          final short[] residual = given.randomBf16(m * n, 10);
          final long y = given.upload(residual);

          given
              .kernels
              .linear()
              .multiply(
                  given.stream,
                  LinearOutput.BF16,
                  y,
                  given.upload(x),
                  given.upload(w),
                  given.upload(bias),
                  y,
                  m,
                  n,
                  k);

          final double[] expected = product(x, w, m, n, k);
          for (int i = 0; i < expected.length; i++) {
            expected[i] += Bf16.toFloat(bias[i % n]) + Bf16.toFloat(residual[i]);
          }
          given.assertClose("sum", expected, given.downloadBf16(y, m * n));
        });
  }

  /** Small integers are exact in bf16 and fp32: every variant gives every bit. */
  @Test
  void shouldBeExactOnSmallIntegers() {
    final int n = 520;
    final int k = 48;
    KernelFixture.inEveryOrder(
        given -> {
          for (int m : new int[] {1, 2, 4, 7, 30, 60, 140}) {
            final short[] x = integers(given, m * k);
            final short[] w = integers(given, n * k);
            final long y = given.allocate(4L * m * n);

            given
                .kernels
                .linear()
                .multiply(
                    given.stream,
                    LinearOutput.FP32,
                    y,
                    given.upload(x),
                    given.upload(w),
                    0,
                    0,
                    m,
                    n,
                    k);

            final double[] expected = product(x, w, m, n, k);
            final float[] actual = given.downloadFloats(y, m * n);
            for (int i = 0; i < actual.length; i++) {
              assertThat((double) actual[i])
                  .as("m=%d, index=%d, seed=%d", m, i, given.seed)
                  .isEqualTo(expected[i]);
            }
          }
        });
  }

  private static short[] integers(KernelFixture given, int count) {
    final short[] values = new short[count];
    for (int i = 0; i < count; i++) {
      values[i] = Bf16.of(given.random.nextInt(-8, 9));
    }
    return values;
  }

  private static double[] product(short[] x, short[] w, int m, int n, int k) {
    final double[] xs = Bf16.toDoubles(x);
    final double[] ws = Bf16.toDoubles(w);
    final double[] result = new double[m * n];
    for (int row = 0; row < m; row++) {
      for (int column = 0; column < n; column++) {
        double sum = 0;
        for (int i = 0; i < k; i++) {
          sum += xs[row * k + i] * ws[column * k + i];
        }
        result[row * n + column] = sum;
      }
    }
    return result;
  }
}
