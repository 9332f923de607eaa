package dev.headway.cuda.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.cuda.emulation.OnCudaDriver;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What adapters add to products, against double precision. */
@OnCudaDriver
class LoraKernelsTest {
  private static final int ADAPTERS = 3;
  private static final int NOT_WRITTEN = 0x7fc1; // a NaN that no kernel makes

  /** Both matrices of all adapters, for a product whose parts are so wide. */
  private record Adapters(
      int inputs, int rank, int[] parts, short[] down, short[] up, float[] scales) {

    static Adapters random(KernelFixture given, int inputs, int rank, int... parts) {
      final int columns = rank * parts.length;
      final int pitch = Shapes.ceilDiv(inputs, LoraKernels.ALIGNMENT) * LoraKernels.ALIGNMENT;
      final short[] down = given.randomBf16(ADAPTERS * columns * pitch, 1);
      for (int row = 0; row < ADAPTERS * columns; row++) {
        Arrays.fill(down, row * pitch + inputs, (row + 1) * pitch, (short) 0);
      }
      final int outputs = Arrays.stream(parts).sum();
      return new Adapters(
          inputs,
          rank,
          parts,
          down,
          given.randomBf16(ADAPTERS * rank * outputs, 1),
          new float[] {0.5f, -3, 1.7f});
    }

    int outputs() {
      return Arrays.stream(parts).sum();
    }

    int columns() {
      return rank * parts.length;
    }

    /** The first output of a part; behind the last one, all of them. */
    int first(int part) {
      return Arrays.stream(parts).limit(part).sum();
    }

    /** Runs both kernels and returns the outputs. */
    short[] add(KernelFixture given, short[] y, short[] x, int... adapters) {
      final LoraKernels kernels = given.kernels.lora();
      final long low = given.allocate(4L * adapters.length * columns());
      final long made = given.upload(y);
      final long of = given.upload(adapters);
      kernels.shrink(
          given.stream,
          low,
          given.upload(x),
          given.upload(down),
          given.upload(scales),
          of,
          adapters.length,
          inputs,
          columns());
      kernels.expand(
          given.stream,
          made,
          low,
          given.upload(up),
          of,
          adapters.length,
          outputs(),
          rank,
          columns(),
          first(1),
          first(2));
      return given.downloadBf16(made, y.length);
    }

    double[] expected(short[] y, short[] x, int row, int adapter) {
      final int pitch = down.length / (ADAPTERS * columns());
      final double[] sums = new double[outputs()];
      for (int part = 0; part < parts.length; part++) {
        for (int j = 0; j < rank; j++) {
          double low = 0;
          for (int i = 0; i < inputs; i++) {
            low +=
                (double) Bf16.toFloat(x[row * inputs + i])
                    * Bf16.toFloat(down[(adapter * columns() + part * rank + j) * pitch + i]);
          }
          for (int n = first(part); n < first(part + 1); n++) {
            final int block = (adapter * rank + j) / 8 * outputs() + n;
            sums[n] += scales[adapter] * low * Bf16.toFloat(up[block * 8 + j % 8]);
          }
        }
      }
      for (int n = 0; n < sums.length; n++) {
        sums[n] += Bf16.toFloat(y[row * sums.length + n]);
      }
      return sums;
    }
  }

  @ParameterizedTest
  @CsvSource({
    "1, 8, 8, 8, 0, 0",
    "3, 4096, 8, 20, 0, 0",
    "5, 300, 16, 129, 65, 65",
    "64, 33, 8, 40, 8, 8",
    "65, 1032, 8, 24, 24, 0",
    "83, 20, 24, 130, 8, 8",
    "200, 64, 8, 16, 8, 8"
  })
  void shouldAddWhatTheAdapterOfEachRowMakes(
      int rows, int inputs, int rank, int first, int second, int third) {
    final int[] parts =
        Arrays.stream(new int[] {first, second, third}).filter(n -> n > 0).toArray();
    KernelFixture.inEveryOrder(
        given -> {
          final Adapters all = Adapters.random(given, inputs, rank, parts);
          final int[] adapters = drawn(given.random, rows);
          final short[] x = given.randomBf16(rows * inputs, 1);
          final short[] y = given.randomBf16(rows * all.outputs(), 20);
          for (int row = 0; row < rows; row++) {
            if (adapters[row] < 0) {
              final int outputs = all.outputs();
              Arrays.fill(y, row * outputs, (row + 1) * outputs, (short) NOT_WRITTEN);
              Arrays.fill(x, row * inputs, (row + 1) * inputs, (short) NOT_WRITTEN);
            }
          }

          final short[] made = all.add(given, y, x, adapters);

          for (int row = 0; row < rows; row++) {
            final int from = row * all.outputs();
            final short[] actual = Arrays.copyOfRange(made, from, from + all.outputs());
            final String what = "row=" + row + ", adapter=" + adapters[row];
            if (adapters[row] < 0) {
              assertThat(actual).as(what).containsOnly((short) NOT_WRITTEN);
            } else {
              given.assertClose(what, all.expected(y, x, row, adapters[row]), actual);
            }
          }
        });
  }

  /** Runs of one adapter, as chunks make them, and places where each row has another one. */
  private static int[] drawn(Random random, int rows) {
    final int[] adapters = new int[rows];
    for (int row = 0; row < rows; row++) {
      final boolean goesOn = row > 0 && random.nextInt(row % 40 < 20 ? 12 : 2) > 0;
      adapters[row] = goesOn ? adapters[row - 1] : random.nextInt(ADAPTERS + 1) - 1;
    }
    return adapters;
  }

  @Test
  void shouldGiveARowTheSameBitsWhateverTheOthersAre() {
    final int rows = 70;
    final int inputs = 1500;
    KernelFixture.inEveryOrder(
        given -> {
          final Adapters all = Adapters.random(given, inputs, 16, 40, 24);
          final short[] x = given.randomBf16(inputs, 1);
          final short[] y = given.randomBf16(all.outputs(), 1);
          final short[] alone = all.add(given, y, x, 1);

          for (int other : new int[] {LoraKernels.NO_ADAPTER, 0, 1}) {
            final int at = given.random.nextInt(rows);
            final short[] manyX = given.randomBf16(rows * inputs, 1);
            final short[] manyY = given.randomBf16(rows * all.outputs(), 1);
            System.arraycopy(x, 0, manyX, at * inputs, inputs);
            System.arraycopy(y, 0, manyY, at * all.outputs(), y.length);
            final int[] adapters = new int[rows];
            Arrays.fill(adapters, other);
            adapters[at] = 1;

            final short[] among = all.add(given, manyY, manyX, adapters);

            final int from = at * all.outputs();
            assertThat(Arrays.copyOfRange(among, from, from + y.length))
                .as("at=%d, other=%d, seed=%d", at, other, given.seed)
                .isEqualTo(alone);
          }
        });
  }

  @Test
  void shouldRefuseRanksThatAreNotFilledUp() {
    try (KernelFixture given = new KernelFixture()) {
      final LoraKernels kernels = given.kernels.lora();

      assertThatThrownBy(() -> kernels.shrink(given.stream, 0, 0, 0, 0, 0, 1, 8, 12))
          .hasMessage("lora_shrink: columns must be a multiple of 8: columns=12");
      assertThatThrownBy(() -> kernels.expand(given.stream, 0, 0, 0, 0, 1, 8, 4, 8, 8, 8))
          .hasMessage("lora_expand: rank must be a multiple of 8: rank=4");
      assertThatThrownBy(() -> kernels.expand(given.stream, 0, 0, 0, 0, 1, 8, 8, 8, 8, 9))
          .hasMessage("lora_expand: third must be in [8, 8]: third=9");
    }
  }
}
