package dev.headway.cuda.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.cuda.device.ProductWeights;
import dev.headway.cuda.emulation.OnCudaDriver;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Products of experts in MXFP4: against double precision, and against the same weights in bf16. */
@OnCudaDriver
class Mxfp4ProductsTest {
  private static final int EXPERTS = 6;
  private static final int PER_ROW = 2;
  private static final RouterShape SHAPE = new RouterShape(EXPERTS, PER_ROW, false, true, 1, 1, 1);

  /** A row of {@code rows}, of which each expert has some or none. */
  private static short[] products(
      KernelFixture given, ProductWeights w, int[] chosen, short[] x, int rows) {
    final ExpertKernels kernels = given.kernels.experts();
    final int slots = rows * PER_ROW;
    final long places = given.allocate(4L * slots);
    final long slotAt = given.allocate(4L * slots);
    final long tiles = given.allocate(ExpertKernels.tileBytes(rows, SHAPE));
    final long states = given.allocate(2L * slots * w.inputs());
    final long y = given.allocate(2L * slots * w.outputs());
    final long experts = given.upload(Arrays.copyOf(chosen, slots));
    final long inputs = given.upload(Arrays.copyOf(x, rows * w.inputs()));
    kernels.group(given.stream, places, slotAt, tiles, experts, rows, SHAPE);
    kernels.gather(given.stream, states, inputs, slotAt, rows, w.inputs(), SHAPE);
    kernels.multiply(given.stream, y, states, w, tiles, rows, SHAPE);

    final int[] placeOf = given.downloadInts(places, slots);
    final short[] byPlace = given.downloadBf16(y, slots * w.outputs());
    final short[] bySlot = new short[byPlace.length];
    for (int slot = 0; slot < slots; slot++) {
      System.arraycopy(
          byPlace, placeOf[slot] * w.outputs(), bySlot, slot * w.outputs(), w.outputs());
    }
    return bySlot;
  }

  /** Two different experts for each row, most of them of the first ones. */
  private static int[] choices(KernelFixture given, int rows) {
    final int[] chosen = new int[rows * PER_ROW];
    for (int row = 0; row < rows; row++) {
      final int first = given.random.nextInt(3) > 0 ? 0 : given.random.nextInt(EXPERTS - 1);
      chosen[PER_ROW * row] = first;
      chosen[PER_ROW * row + 1] = first + 1 + given.random.nextInt(EXPERTS - 1 - first);
    }
    return chosen;
  }

  /** Tiles of 8, 32 and 128 rows; ends of rows and columns within a tile, a step and a record. */
  @ParameterizedTest
  @CsvSource({
    "1, 32, 16, false",
    "3, 64, 144, true",
    "12, 96, 200, true",
    "24, 160, 72, false",
    "40, 704, 33, true",
    "120, 224, 136, true",
    "300, 96, 128, true"
  })
  void shouldMultiplyEachRowByItsExperts(int rows, int columns, int outputs, boolean withBiases) {
    KernelFixture.inEveryOrder(
        given -> {
          final Mxfp4 weights = Mxfp4.random(given, EXPERTS, outputs, columns, 118, 12);
          final int[] chosen = choices(given, rows);
          final short[] x = given.randomBf16(rows * columns, 1);
          final short @Nullable [] biases =
              withBiases ? given.randomBf16(EXPERTS * outputs, 3) : null;
          final long bias = biases == null ? 0 : given.upload(biases);

          final short[] actual = products(given, weights.upload(given, bias), chosen, x, rows);

          final double[] expected = new double[chosen.length * outputs];
          for (int slot = 0; slot < chosen.length; slot++) {
            for (int output = 0; output < outputs; output++) {
              final int row = chosen[slot] * outputs + output;
              double sum = biases == null ? 0 : Bf16.toFloat(biases[row]);
              for (int i = 0; i < columns; i++) {
                sum += weights.weight(row, i) * Bf16.toFloat(x[slot / PER_ROW * columns + i]);
              }
              expected[slot * outputs + output] = sum;
            }
          }
          given.assertClose("products", expected, actual);
          assertThat(products(given, weights.widened(given, bias), chosen, x, rows))
              .as("the bits of the same weights in bf16, seed=%d", given.seed)
              .isEqualTo(actual);
        });
  }

  /** Scales of one tile on either side of where two products are needed, which is 127. */
  @Test
  void shouldMultiplyWithLargeScalesBesideOthers() {
    KernelFixture.inEveryOrder(
        given -> {
          final Mxfp4 weights = Mxfp4.random(given, EXPERTS, 144, 96, 124, 8);
          final int[] chosen = choices(given, 20);
          final short[] x = given.randomBf16(20 * 96, 1);

          assertThat(products(given, weights.upload(given, 0), chosen, x, 20))
              .as("seed=%d", given.seed)
              .isEqualTo(products(given, weights.widened(given, 0), chosen, x, 20));
        });
  }

  /** Each code with each scale, by rows of which one column is not 0. */
  @ParameterizedTest
  @CsvSource({"0, 210, 0x1p40", "100, 252, 0x1p-40"})
  void shouldReadEachCodeWithEachScale(int least, int most, String factor) {
    final float one = Float.parseFloat(factor);
    final int outputs = most - least + 1;
    final int columns = 64;
    final byte[] codes = new byte[EXPERTS * outputs * columns];
    final byte[] scales = new byte[codes.length / 32];
    for (int i = 0; i < codes.length; i++) {
      final int row = i / columns % outputs;
      codes[i] = (byte) ((i + row) % 16);
      scales[i / 32] = (byte) (least + (row + i / 32 % 2 * 7) % outputs);
    }
    final Mxfp4 weights = new Mxfp4(EXPERTS, outputs, columns, codes, scales);
    final short[] x = new short[columns * columns];
    final int[] chosen = new int[columns * PER_ROW];
    for (int row = 0; row < columns; row++) {
      x[row * columns + row] = Bf16.of(one);
      chosen[PER_ROW * row] = row % (EXPERTS - 1);
      chosen[PER_ROW * row + 1] = EXPERTS - 1;
    }
    KernelFixture.inEveryOrder(
        given -> {
          final short[] actual = products(given, weights.upload(given, 0), chosen, x, columns);

          for (int slot = 0; slot < chosen.length; slot++) {
            for (int output = 0; output < outputs; output++) {
              final double weight = weights.weight(chosen[slot] * outputs + output, slot / PER_ROW);
              assertThat((double) Bf16.toFloat(actual[slot * outputs + output]))
                  .as("column=%d, row=%d", slot / PER_ROW, output)
                  .isEqualTo(weight * one + 0.0);
            }
          }
        });
  }

  /** Alone and among others, some of which are no numbers: whatever the tiles. */
  @ParameterizedTest
  @CsvSource({"3, 8", "3, 40", "20, 300"})
  void shouldGiveARowTheSameBitsWhateverTheOthersAre(int rows, int more) {
    KernelFixture.inEveryOrder(
        given -> {
          final Mxfp4 weights = Mxfp4.random(given, EXPERTS, 80, 160, 118, 12);
          final int[] chosen = choices(given, more);
          final short[] x = given.randomBf16(more * 160, 1);
          Arrays.fill(x, rows * 160, more * 160, Bf16.of(Float.NaN));

          final short[] among = products(given, weights.upload(given, 0), chosen, x, more);
          final short[] alone = products(given, weights.upload(given, 0), chosen, x, rows);

          assertThat(Arrays.copyOf(among, alone.length)).as("seed=%d", given.seed).isEqualTo(alone);
        });
  }
}
