package dev.headway.cuda.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.cuda.device.WeightMatrix;
import dev.headway.cuda.emulation.OnCudaDriver;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Products of all variants against double precision, with tails in every direction, cut as for the
 * device in use and as for one with 132 multiprocessors.
 */
@OnCudaDriver
class LinearKernelsTest {

  /** The kernels, cut for a device of so many multiprocessors, and their workspace. */
  private static final class Products {
    final KernelFixture given;
    final LinearKernels linear;
    final long workspace;
    private final int counters;

    Products(KernelFixture given, int multiprocessors) {
      this.given = given;
      linear =
          new LinearKernels(
              given.device.loadModule("headway kernels", KernelImage.ALL.ptx()),
              given.with(multiprocessors));
      counters = 2 * multiprocessors;
      workspace = given.zeros(linear.workspaceBytes());
    }

    void multiply(LinearOutput output, long y, long x, long w, int m, int n, int k) {
      multiply(output, y, x, w, 0, 0, m, n, k);
    }

    void multiply(
        LinearOutput output,
        long y,
        long x,
        long w,
        long bias,
        long residual,
        int m,
        int n,
        int k) {
      final WeightMatrix weights = new WeightMatrix(w, bias, n, k);
      linear.multiply(given.stream, output, y, x, weights, residual, m, workspace);
    }

    float[] fp32(short[] x, long w, int m, int n, int k) {
      final long y = given.allocate(4L * m * n);
      multiply(LinearOutput.FP32, y, given.upload(x), w, m, n, k);
      return given.downloadFloats(y, m * n);
    }

    void assertFitForTheNext() {
      assertThat(given.downloadInts(workspace, counters)).containsOnly(0);
    }
  }

  /** What is checked. */
  private interface Check {
    void run(KernelFixture given, Products products);
  }

  private static void onEveryCut(Check check) {
    KernelFixture.inEveryOrder(
        given -> {
          for (int multiprocessors : new int[] {2, 132}) {
            final Products products = new Products(given, multiprocessors);
            check.run(given, products);
            products.assertFitForTheNext();
          }
        });
  }

  @ParameterizedTest
  @CsvSource({
    "1, 1, 1",
    "1, 100, 64",
    "1, 9, 300",
    "2, 17, 8",
    "2, 20, 33",
    "3, 33, 288",
    "5, 8, 172",
    "7, 140, 33",
    "8, 40, 512",
    "8, 300, 1000",
    "9, 64, 32",
    "12, 300, 360",
    "20, 100, 172",
    "24, 260, 640",
    "32, 65, 40",
    "33, 64, 64",
    "60, 270, 328",
    "70, 200, 288",
    "128, 16, 24",
    "100, 140, 400",
    "129, 513, 33",
    "130, 640, 72",
    "200, 300, 264",
    "300, 200, 264"
  })
  void shouldMultiply(int m, int n, int k) {
    onEveryCut(
        (given, products) -> {
          final short[] x = given.randomBf16(m * k, 1);
          final short[] w = given.randomBf16(n * k, 1);
          final long y = given.allocate(2L * m * n);
          final long logits = given.allocate(4L * m * n);
          final long dx = given.upload(x);
          final long dw = given.upload(w);

          products.multiply(LinearOutput.BF16, y, dx, dw, m, n, k);
          products.multiply(LinearOutput.FP32, logits, dx, dw, m, n, k);

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
  @CsvSource({"1, 30, 64", "8, 24, 40", "8, 27, 300", "40, 70, 96", "40, 131, 512", "150, 600, 16"})
  void shouldAddBiasAndResidualInPlace(int m, int n, int k) {
    onEveryCut(
        (given, products) -> {
          final short[] x = given.randomBf16(m * k, 1);
          final short[] w = given.randomBf16(n * k, 1);
          final short[] bias = given.randomBf16(n, 10);
          final short[] residual = given.randomBf16(m * n, 10);
          final long y = given.upload(residual);
          final long dx = given.upload(x);
          final long dw = given.upload(w);

          products.multiply(LinearOutput.BF16, y, dx, dw, given.upload(bias), y, m, n, k);

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
    final int k = 144;
    onEveryCut(
        (given, products) -> {
          for (int m : new int[] {1, 2, 4, 7, 16, 30, 60, 128, 140}) {
            final short[] x = integers(given, m * k);
            final short[] w = integers(given, n * k);

            final float[] actual = products.fp32(x, given.upload(w), m, n, k);

            final double[] expected = product(x, w, m, n, k);
            for (int i = 0; i < actual.length; i++) {
              assertThat((double) actual[i])
                  .as("m=%d, index=%d, seed=%d", m, i, given.seed)
                  .isEqualTo(expected[i]);
            }
          }
        });
  }

  /** Rows of a batch that is filled up with padding get every bit that they get alone. */
  @ParameterizedTest
  @CsvSource({"3, 8", "9, 16", "17, 32", "40, 64", "65, 128", "145, 152"})
  void shouldGiveARowTheSameBitsWhateverTheOthersAre(int m, int padded) {
    final int n = 300;
    final int k = 1000;
    onEveryCut(
        (given, products) -> {
          final short[] x = given.randomBf16(m * k, 1);
          final long w = given.upload(given.randomBf16(n * k, 1));
          final short[] filled = Arrays.copyOf(x, padded * k);
          Arrays.fill(filled, m * k, padded * k, Bf16.of(Float.NaN));
          final short[] among = given.randomBf16(padded * k, 1);
          System.arraycopy(x, 0, among, 0, k);

          final float[] alone = products.fp32(x, w, m, n, k);
          final float[] withPadding = products.fp32(filled, w, padded, n, k);
          final float[] withOthers = products.fp32(among, w, padded, n, k);

          assertThat(Arrays.copyOf(withPadding, m * n)).isEqualTo(alone);
          assertThat(Arrays.copyOf(withOthers, n)).isEqualTo(Arrays.copyOf(alone, n));
        });
  }

  /** The last block to come adds the parts up: who that is must not show. */
  @ParameterizedTest
  @CsvSource({"8, 200, 2000", "64, 140, 1500", "100, 130, 1200", "130, 300, 1000"})
  void shouldAddPartsInTheSameOrderWhoeverComesLast(int m, int n, int k) {
    for (int multiprocessors : new int[] {2, 132}) {
      final float[][] first = new float[1][];
      KernelFixture.inEveryOrder(
          given -> {
            final Products products = new Products(given, multiprocessors);
            final short[] x = given.randomBf16(m * k, 1);
            final long w = given.upload(given.randomBf16(n * k, 1));

            final float[] y = products.fp32(x, w, m, n, k);

            first[0] = first[0] == null ? y : first[0];
            assertThat(y).isEqualTo(first[0]);
          });
    }
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
