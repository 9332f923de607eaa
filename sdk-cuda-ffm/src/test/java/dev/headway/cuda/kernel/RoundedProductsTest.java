package dev.headway.cuda.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.cuda.device.CudaDevice;
import dev.headway.cuda.device.RoundedInputs;
import dev.headway.cuda.device.WeightMatrix;
import dev.headway.cuda.device.WeightScales;
import dev.headway.cuda.emulation.Emulator;
import dev.headway.cuda.emulation.EmulatorOnly;
import dev.headway.cuda.emulation.OnCudaDriver;
import dev.headway.executor.model.E4m3;
import dev.headway.executor.model.InputQuantization;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Inputs as e4m3 codes, to the bit as the reference rounds them, and products of codes with codes
 * against double precision: every kind of scale, tails in every direction, cut as for the device in
 * use and as for one with 132 multiprocessors.
 */
@OnCudaDriver
class RoundedProductsTest {
  private static final float FIXED = 0.0625f;

  @BeforeEach
  void takeADeviceThatMultipliesCodes() {
    if (Emulator.isActive()) {
      new Emulator.Device().compute(9, 0).install();
    }
  }

  private static final EveryCut<RoundedProducts> ON_EVERY_CUT =
      new EveryCut<>(RoundedProductsTest::products, RoundedProducts::workspaceBytes);

  private static RoundedProducts products(KernelFixture given, int multiprocessors) {
    return new RoundedProducts(
        KernelImage.ROUNDED.load(given.device).module(), given.with(multiprocessors), "");
  }

  /** Inputs on the device, and what they are. */
  private record Inputs(
      RoundedInputs how, int m, int k, int pitch, long codes, long scales, double[] values) {

    /** Rounds them by the kernels; what they are is the reference's to say. */
    static Inputs rounded(
        KernelFixture given, RoundedProducts products, short[] x, int m, int k, int columns) {
      final boolean isFixed = columns < 0;
      final RoundedInputs how =
          new RoundedInputs(isFixed ? given.upload(FIXED) : 0, isFixed ? k : columns);
      final int pitch = m + 3;
      final long codes = given.allocate((long) pitch * k);
      final long scales =
          given.allocate((long) Float.BYTES * pitch * RoundedProducts.scalesOfARow(how, k));
      products.round(given.stream, codes, scales, pitch, given.upload(x), how, m, k);
      final double[] values = new double[m * k];
      for (int row = 0; row < m; row++) {
        for (int column = 0; column < k; column += how.columns()) {
          final int end = Math.min(k, column + how.columns());
          final float scale = isFixed ? FIXED : scaleOf(x, row * k + column, row * k + end);
          for (int i = row * k + column; i < row * k + end; i++) {
            values[i] = (double) E4m3.toFloat(E4m3.toBits(Bf16.toFloat(x[i]) / scale)) * scale;
          }
        }
      }
      return new Inputs(how, m, k, pitch, codes, scales, values);
    }

    private static float scaleOf(short[] x, int from, int to) {
      float largest = 0;
      for (int i = from; i < to; i++) {
        largest = Math.max(largest, Math.abs(Bf16.toFloat(x[i])));
      }
      return InputQuantization.scaleOf(largest);
    }

    /** What is on the device. */
    double[] downloaded(KernelFixture given) {
      final byte[] bytes = given.downloadBytes(codes, m * k);
      final float[] all =
          given.downloadFloats(scales, pitch * RoundedProducts.scalesOfARow(how, k));
      final double[] made = new double[m * k];
      for (int i = 0; i < made.length; i++) {
        made[i] = (double) E4m3.toFloat(bytes[i]) * all[i % k / how.columns() * pitch + i / k];
      }
      return made;
    }

    double[] product(Codes w) {
      final double[] y = new double[m * w.n()];
      for (int column = 0; column < w.n(); column++) {
        for (int i = 0; i < k; i++) {
          final double weight = w.weight(column, i);
          for (int row = 0; row < m; row++) {
            y[row * w.n() + column] += weight * values[row * k + i];
          }
        }
      }
      return y;
    }
  }

  private static WeightMatrix upload(KernelFixture given, Codes w, long bias, RoundedInputs how) {
    final WeightMatrix codes = w.upload(given, bias);
    return new WeightMatrix(
        codes.address(), bias, codes.outputs(), codes.inputs(), codes.scales(), how);
  }

  /** Values of every size, some beyond what a fixed scale holds, and a row of zeros. */
  private static short[] inputs(KernelFixture given, int m, int k) {
    final short[] x = given.randomBf16(m * k, 1);
    for (int i = 0; i < x.length; i++) {
      final double size = Math.scalb(1.0, given.random.nextInt(24) - 18);
      x[i] = Bf16.of(Bf16.toFloat(x[i]) * (given.random.nextInt(3) == 0 ? 40 * size : 1));
    }
    Arrays.fill(x, (m - 1) * k, m * k, (short) 0);
    return x;
  }

  /** Columns below 0: one fixed scale. */
  @ParameterizedTest
  @CsvSource({
    "1, 4096, -1",
    "3, 4096, 4096",
    "5, 24, 24",
    "2, 33, 33",
    "4, 33, -1",
    "3, 512, 128",
    "2, 1000, 128",
    "7, 96, 64",
    "2, 2304, 1024",
    "2, 18, 16",
    "300, 40, 40"
  })
  void shouldRoundAsTheReferenceDoes(int m, int k, int columns) {
    ON_EVERY_CUT.check(
        (given, products, workspace) -> {
          final short[] x = inputs(given, m, k);

          final Inputs made = Inputs.rounded(given, products, x, m, k, columns);

          assertThat(made.downloaded(given)).as("seed=%d", given.seed).isEqualTo(made.values());
        });
  }

  /** What is beyond 448 becomes that, infinities too; NaN stays NaN, and harms no other row. */
  @ParameterizedTest
  @ValueSource(ints = {-1, 256, 128})
  void shouldSaturateAndKeepNaNInItsRow(int columns) {
    ON_EVERY_CUT.check(
        (given, products, workspace) -> {
          final short[] x = given.randomBf16(3 * 256, 1);
          x[5] = Bf16.of(3e30);
          x[6] = Bf16.of(-3e30);
          x[256 + 7] = Bf16.of(Float.NaN);

          final Inputs made = Inputs.rounded(given, products, x, 3, 256, columns);

          final byte[] codes = given.downloadBytes(made.codes(), 3 * 256);
          assertThat(codes[5]).isEqualTo(E4m3.toBits(448));
          assertThat(codes[6]).isEqualTo(E4m3.toBits(-448));
          assertThat(codes[256 + 7] & 0x7f).isEqualTo(0x7f);
          final Codes w = Codes.random(given, 40, 256, 7, columns == 128 ? 128 : 256);
          final float[] y = fp32(given, products, workspace, made, w);
          for (int i = 0; i < 3 * 40; i++) {
            assertThat(Float.isNaN(y[i])).as("index=%d", i).isEqualTo(i / 40 == 1);
          }
        });
  }

  private static float[] fp32(
      KernelFixture given, RoundedProducts products, long workspace, Inputs x, Codes w) {
    final long y = given.allocate(4L * x.m() * w.n());
    products.multiply(
        given.stream,
        LinearOutput.FP32,
        y,
        x.codes(),
        x.scales(),
        x.pitch(),
        upload(given, w, 0, x.how()),
        0,
        x.m(),
        workspace);
    return given.downloadFloats(y, x.m() * w.n());
  }

  /** Of the matrix, of rows, of blocks; inputs fixed, per token and per group. */
  @ParameterizedTest
  @CsvSource({
    "1, 100, 512, 30, 512, -1",
    "1, 9, 1040, 0, 1040, 1040",
    "1, 17, 300, 7, 128, 128",
    "2, 260, 640, 7, 128, 128",
    "3, 33, 288, 0, 288, -1",
    "5, 140, 172, 30, 172, 172",
    "7, 300, 500, 7, 128, 128",
    "8, 520, 1000, 4, 64, 256",
    "12, 300, 360, 0, 256, 64",
    "16, 20, 33, 0, 33, 33",
    "24, 260, 640, 7, 128, -1",
    "31, 70, 192, 2, 192, 128",
    "33, 64, 64, 30, 64, 64",
    "60, 270, 336, 7, 128, 128",
    "100, 140, 400, 2, 128, 400",
    "129, 513, 80, 0, 80, 80",
    "130, 640, 272, 7, 128, 128"
  })
  void shouldMultiply(int m, int n, int k, int rowShift, int columns, int inputColumns) {
    ON_EVERY_CUT.check(
        (given, products, workspace) -> {
          final short[] x = given.randomBf16(m * k, 1);
          final Inputs made = Inputs.rounded(given, products, x, m, k, inputColumns);
          final Codes w = Codes.random(given, n, k, rowShift, columns);
          final short[] bias = given.randomBf16(n, 10);
          final short[] residual = given.randomBf16(m * n, 10);
          final long y = given.upload(residual);

          products.multiply(
              given.stream,
              LinearOutput.BF16,
              y,
              made.codes(),
              made.scales(),
              made.pitch(),
              upload(given, w, given.upload(bias), made.how()),
              y,
              m,
              workspace);

          final double[] expected = made.product(w);
          final float[] fp32 = fp32(given, products, workspace, made, w);
          for (int i = 0; i < fp32.length; i++) {
            assertThat(Math.abs(fp32[i] - expected[i]))
                .as("fp32: index=%d, seed=%d", i, given.seed)
                .isLessThan(1e-5 * k);
            expected[i] += Bf16.toFloat(bias[i % n]) + Bf16.toFloat(residual[i]);
          }
          given.assertClose("sum", expected, given.downloadBf16(y, m * n));
        });
  }

  /** A row that is one code at one place gives the product of two codes, of all there are. */
  @Test
  void shouldTakeEveryCodeForWhatItIs() {
    ON_EVERY_CUT.check(
        (given, products, workspace) -> {
          final byte[] all = new byte[256];
          for (int i = 0; i < all.length; i++) {
            all[i] = (i & 0x7f) == 0x7f ? 0 : (byte) i;
          }
          final byte[] x = new byte[256 * 256];
          for (int row = 0; row < 256; row++) {
            x[row * 256 + row] = all[255 - row];
          }
          final float[] ones = new float[256];
          Arrays.fill(ones, 1);
          final RoundedInputs how = new RoundedInputs(0, 256);
          final WeightScales one = new WeightScales(given.upload(1f), 30, 256);
          final long y = given.allocate(4L * 256);

          products.multiply(
              given.stream,
              LinearOutput.FP32,
              y,
              given.upload(x),
              given.upload(ones),
              256,
              new WeightMatrix(given.upload(all), 0, 1, 256, one, how),
              0,
              256,
              workspace);

          final float[] actual = given.downloadFloats(y, 256);
          for (int row = 0; row < 256; row++) {
            assertThat(actual[row])
                .as("code=%d", row)
                .isEqualTo(E4m3.toFloat(all[row]) * E4m3.toFloat(all[255 - row]));
          }
        });
  }

  /** Rows of a batch that is filled up with padding get every bit that they get alone. */
  @ParameterizedTest
  @CsvSource({
    "1, 8, 128",
    "3, 8, 1008",
    "9, 16, 1008",
    "17, 32, 128",
    "40, 64, 128",
    "65, 128, 128"
  })
  void shouldGiveARowTheSameBitsWhateverTheOthersAre(int m, int padded, int columns) {
    final int n = 300;
    final int k = 1008;
    ON_EVERY_CUT.check(
        (given, products, workspace) -> {
          final short[] x = given.randomBf16(m * k, 1);
          final Codes w = Codes.random(given, n, k, 2, columns);
          final short[] filled = Arrays.copyOf(x, padded * k);
          Arrays.fill(filled, m * k, padded * k, Bf16.of(Float.NaN));

          final Inputs alone = Inputs.rounded(given, products, x, m, k, columns);
          final Inputs among = Inputs.rounded(given, products, filled, padded, k, columns);

          assertThat(Arrays.copyOf(fp32(given, products, workspace, among, w), m * n))
              .isEqualTo(fp32(given, products, workspace, alone, w));
        });
  }

  /** The last block to come adds the parts up: who that is must not show. */
  @ParameterizedTest
  @CsvSource({"8, 200, 2048", "64, 140, 1536", "100, 130, 1216"})
  void shouldAddPartsInTheSameOrderWhoeverComesLast(int m, int n, int k) {
    ON_EVERY_CUT.assertSameWhoeverComesLast(
        (given, products, workspace) -> {
          final Codes w = Codes.random(given, n, k, 7, 128);
          final Inputs x = Inputs.rounded(given, products, given.randomBf16(m * k, 1), m, k, 128);
          return fp32(given, products, workspace, x, w);
        });
  }

  @Test
  void shouldRefuseWhatItHasNoKernelsFor() {
    try (KernelFixture given = new KernelFixture()) {
      final RoundedProducts products = RoundedProducts.load(given.device);
      final WeightScales scales = new WeightScales(256, 0, 16);
      final WeightMatrix plain = new WeightMatrix(256, 0, 8, 16, scales);
      final RoundedInputs narrow = new RoundedInputs(0, 12);
      final WeightMatrix grouped = new WeightMatrix(256, 0, 8, 16, scales, narrow);

      for (WeightMatrix w : new WeightMatrix[] {plain, grouped}) {
        assertThatThrownBy(
                () ->
                    products.multiply(
                        given.stream, LinearOutput.BF16, 256, 256, 256, 8, w, 0, 8, 256))
            .hasMessage(
                "multiply: weights must be codes, and scales of weights and inputs those of rows or"
                    + " of 64, 128, 256 and so on columns: "
                    + w);
      }
      assertThatThrownBy(() -> products.round(given.stream, 256, 256, 8, 256, narrow, 8, 16))
          .hasMessage(
              "round_e4m3: columns of a scale must be a multiple of 8, and a fixed one that of all:"
                  + " RoundedInputs[fixedScale=0, columns=12]");
      assertThatThrownBy(() -> products.round(given.stream, 256, 256, 7, 256, narrow, 8, 16))
          .hasMessage("round_e4m3: rows must be in [1, 7]: rows=8");
    }
  }

  @ParameterizedTest
  @CsvSource({"8, 0", "8, 6"})
  @EmulatorOnly("another device")
  void shouldNameADeviceThatHasNoSuchProducts(int major, int minor) {
    new Emulator.Device().compute(major, minor).install();
    try (CudaDevice device = CudaDevice.open(0)) {
      assertThatThrownBy(() -> RoundedProducts.load(device))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(
              "precision QUANTIZED needs a device of compute capability 8.9 or newer, which"
                  + " multiplies eight-bit floats; precision BFLOAT16 leaves inputs as they are:"
                  + " device=emulated device, computeCapability=%d.%d",
              major, minor);
    }
  }

  @Test
  @EmulatorOnly("other devices")
  void shouldLoadMachineCodeOnHopperAndPtxElsewhere() {
    try (CudaDevice device = CudaDevice.open(0)) {
      assertThat(RoundedProducts.load(device).origin())
          .isEqualTo("machine code for compute capability 9.0");
    }
    new Emulator.Device().compute(8, 9).install();
    try (CudaDevice device = CudaDevice.open(0)) {
      assertThat(RoundedProducts.load(device).origin()).isEqualTo("PTX, compiled by the driver");
    }
  }
}
