package dev.headway.cuda.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.cuda.device.WeightMatrix;
import dev.headway.cuda.device.WeightScales;
import dev.headway.cuda.emulation.OnCudaDriver;
import dev.headway.executor.model.E4m3;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Products with e4m3 codes against double precision: every layout of scales, tails in every
 * direction, cut as for the device in use and as for one with 132 multiprocessors.
 */
@OnCudaDriver
class CodesProductsTest {

  private static final EveryCut<LinearKernels> ON_EVERY_CUT =
      new EveryCut<>(CodesProductsTest::linear, LinearKernels::workspaceBytes);

  private static LinearKernels linear(KernelFixture given, int multiprocessors) {
    return new LinearKernels(
        given.device.loadModule("headway kernels", KernelImage.ALL.ptx()),
        given.with(multiprocessors));
  }

  /** Scales of the matrix, of rows, of blocks of every size, and of several matrices' rows. */
  @ParameterizedTest
  @CsvSource({
    "1, 100, 512, 30, 512",
    "1, 9, 1040, 0, 1040",
    "1, 17, 300, 7, 128",
    "1, 40, 640, 7, 128",
    "1, 30, 96, 4, 7",
    "2, 70, 528, 3, 16",
    "2, 20, 33, 0, 33",
    "3, 33, 288, 0, 288",
    "5, 140, 172, 30, 172",
    "7, 300, 500, 7, 128",
    "8, 520, 1000, 4, 64",
    "12, 300, 360, 0, 256",
    "16, 20, 33, 0, 33",
    "24, 260, 640, 7, 128",
    "31, 70, 96, 4, 7",
    "33, 64, 64, 30, 64",
    "60, 270, 336, 7, 128",
    "100, 140, 400, 2, 128",
    "129, 513, 80, 0, 80",
    "130, 640, 272, 7, 128"
  })
  void shouldMultiply(int m, int n, int k, int rowShift, int columns) {
    ON_EVERY_CUT.check(
        (given, linear, workspace) -> {
          final short[] x = given.randomBf16(m * k, 1);
          final Codes codes = Codes.random(given, n, k, rowShift, columns);
          final WeightMatrix w = codes.upload(given, 0);
          final long y = given.allocate(2L * m * n);
          final long logits = given.allocate(4L * m * n);
          final long dx = given.upload(x);

          linear.multiply(given.stream, LinearOutput.BF16, y, dx, w, 0, m, workspace);
          linear.multiply(given.stream, LinearOutput.FP32, logits, dx, w, 0, m, workspace);

          final double[] expected = codes.product(x, m);
          given.assertClose("bf16", expected, given.downloadBf16(y, m * n));
          final float[] fp32 = given.downloadFloats(logits, m * n);
          for (int i = 0; i < fp32.length; i++) { // no weight was rounded to bf16
            assertThat(Math.abs(fp32[i] - expected[i]))
                .as("fp32: index=%d, seed=%d", i, given.seed)
                .isLessThan(1e-5 * k);
          }
        });
  }

  @ParameterizedTest
  @CsvSource({"1, 30, 64", "2, 27, 304", "8, 24, 40", "40, 131, 512", "150, 300, 80"})
  void shouldAddBiasAndResidualInPlace(int m, int n, int k) {
    ON_EVERY_CUT.check(
        (given, linear, workspace) -> {
          final short[] x = given.randomBf16(m * k, 1);
          final Codes codes = Codes.random(given, n, k, 0, k);
          final short[] bias = given.randomBf16(n, 10);
          final short[] residual = given.randomBf16(m * n, 10);
          final WeightMatrix w = codes.upload(given, given.upload(bias));
          final long y = given.upload(residual);

          linear.multiply(given.stream, LinearOutput.BF16, y, given.upload(x), w, y, m, workspace);

          final double[] expected = codes.product(x, m);
          for (int i = 0; i < expected.length; i++) {
            expected[i] += Bf16.toFloat(bias[i % n]) + Bf16.toFloat(residual[i]);
          }
          given.assertClose("sum", expected, given.downloadBf16(y, m * n));
        });
  }

  /** A row that is 1 at one place and 0 elsewhere gives a code back, subnormal ones too. */
  @Test
  void shouldTakeEveryCodeForWhatItIs() {
    final byte[] all = new byte[256];
    for (int i = 0; i < all.length; i++) {
      all[i] = (i & 0x7f) == 0x7f ? 0 : (byte) i;
    }
    ON_EVERY_CUT.check(
        (given, linear, workspace) -> {
          for (int m : new int[] {1, 8, 256}) {
            final short[] x = new short[m * 256];
            for (int row = 0; row < m; row++) {
              x[row * 256 + row * (256 / m)] = Bf16.of(1);
            }
            final WeightScales one = new WeightScales(given.upload(1f), 30, 256);
            final WeightMatrix w = new WeightMatrix(given.upload(all), 0, 1, 256, one);
            final long y = given.allocate(4L * m);

            linear.multiply(
                given.stream, LinearOutput.FP32, y, given.upload(x), w, 0, m, workspace);

            final float[] actual = given.downloadFloats(y, m);
            for (int row = 0; row < m; row++) {
              assertThat(actual[row])
                  .as("m=%d, code=%d", m, row * (256 / m))
                  .isEqualTo(E4m3.toFloat(all[row * (256 / m)]));
            }
          }
        });
  }

  /** To the bit what is made of them where they are not kept as codes. */
  @ParameterizedTest
  @CsvSource({"40, 4112, 7, 128", "70000, 16, 30, 16", "33, 50, 0, 50", "20, 96, 4, 7"})
  void shouldWiden(int n, int k, int rowShift, int columns) {
    KernelFixture.inEveryOrder(
        given -> {
          final Codes codes = Codes.random(given, n, k, rowShift, columns);
          final long out = given.allocate(2L * n * k);

          given.kernels.linear().widen(given.stream, out, codes.upload(given, 0));

          final short[] actual = given.downloadBf16(out, n * k);
          for (int i = 0; i < actual.length; i++) {
            assertThat(actual[i]).isEqualTo(Bf16.of(codes.weight(i / k, i % k)));
          }
        });
  }

  @Test
  void shouldWidenNothingButCodes() {
    try (KernelFixture given = new KernelFixture()) {
      assertThatThrownBy(
              () ->
                  given.kernels.linear().widen(given.stream, 256, new WeightMatrix(256, 0, 8, 16)))
          .hasMessageStartingWith("widen_e4m3: weights must be codes: ");
    }
  }

  /** Rows of a batch that is filled up with padding get every bit that they get alone. */
  @ParameterizedTest
  @CsvSource({"3, 8, 128", "9, 16, 1008", "17, 32, 128", "40, 64, 64", "65, 128, 1008"})
  void shouldGiveARowTheSameBitsWhateverTheOthersAre(int m, int padded, int columns) {
    final int n = 300;
    final int k = 1008;
    ON_EVERY_CUT.check(
        (given, linear, workspace) -> {
          final short[] x = given.randomBf16(m * k, 1);
          final WeightMatrix w = Codes.random(given, n, k, 2, columns).upload(given, 0);
          final short[] filled = Arrays.copyOf(x, padded * k);
          Arrays.fill(filled, m * k, padded * k, Bf16.of(Float.NaN));

          final float[] alone = fp32(given, linear, workspace, x, w, m);
          final float[] withPadding = fp32(given, linear, workspace, filled, w, padded);

          assertThat(Arrays.copyOf(withPadding, m * n)).isEqualTo(alone);
        });
  }

  /** The last block to come adds the parts up: who that is must not show. */
  @ParameterizedTest
  @CsvSource({"8, 200, 2048", "64, 140, 1536", "100, 130, 1216"})
  void shouldAddPartsInTheSameOrderWhoeverComesLast(int m, int n, int k) {
    ON_EVERY_CUT.assertSameWhoeverComesLast(
        (given, linear, workspace) -> {
          final short[] x = given.randomBf16(m * k, 1);
          final WeightMatrix w = Codes.random(given, n, k, 7, 128).upload(given, 0);
          return fp32(given, linear, workspace, x, w, m);
        });
  }

  private static float[] fp32(
      KernelFixture given, LinearKernels linear, long workspace, short[] x, WeightMatrix w, int m) {
    final long y = given.allocate(4L * m * w.outputs());
    linear.multiply(given.stream, LinearOutput.FP32, y, given.upload(x), w, 0, m, workspace);
    return given.downloadFloats(y, m * w.outputs());
  }

  @Test
  void shouldRefuseScalesOfMoreColumnsThanThereAre() {
    try (KernelFixture given = new KernelFixture()) {
      final WeightMatrix w = new WeightMatrix(256, 0, 8, 16, new WeightScales(256, 0, 17));

      assertThatThrownBy(
              () ->
                  given
                      .kernels
                      .linear()
                      .multiply(given.stream, LinearOutput.BF16, 256, 256, w, 0, 8, 256))
          .hasMessage("multiply: columns of a scale must be in [1, 16]: columns of a scale=17");
    }
  }
}
