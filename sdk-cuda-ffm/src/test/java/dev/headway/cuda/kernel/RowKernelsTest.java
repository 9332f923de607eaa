package dev.headway.cuda.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.headway.cuda.device.Kernel;
import dev.headway.cuda.device.KernelParameter;
import dev.headway.cuda.emulation.OnCudaDriver;
import dev.headway.executor.model.E4m3;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Norms, SwiGLU and rotary embedding against double precision. */
@OnCudaDriver
class RowKernelsTest {
  private static final float EPSILON = 1e-5f;
  private static final NormTerms TERMS = new NormTerms(EPSILON, 0);
  private static final NormTerms LESS_ONE = new NormTerms(EPSILON, 1);

  @ParameterizedTest
  @CsvSource({
    "1, 1",
    "3, 8",
    "2, 33",
    "5, 288",
    "2, 1024",
    "2, 4096",
    "1, 4100",
    "1, 16384",
    "1, 16392"
  })
  void shouldNormRows(int rows, int dim) {
    KernelFixture.inEveryOrder(
        given -> {
          final short[] x = given.randomBf16(rows * dim, 3);
          final short[] weight = given.randomBf16(dim, 1);
          final long out = given.allocate(2L * rows * dim);

          given
              .kernels
              .rows()
              .rmsNorm(given.stream, out, given.upload(x), given.upload(weight), rows, dim, TERMS);

          given.assertClose("norm", norm(x, weight, dim), given.downloadBf16(out, rows * dim));
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 20, 72, 300, 2056})
  void shouldNormRowsOfATableAndKeepThem(int dim) {
    final int[] ids = {6, 0, 3, 3};
    KernelFixture.inEveryOrder(
        given -> {
          final short[] table = given.randomBf16(7 * dim, 1);
          final short[] weight = given.randomBf16(dim, 1);
          final long out = given.allocate(8L * dim);
          final long kept = given.allocate(8L * dim);

          given
              .kernels
              .rows()
              .rmsNormOf(
                  given.stream,
                  out,
                  kept,
                  given.upload(table),
                  given.upload(ids),
                  given.upload(weight),
                  4,
                  dim,
                  TERMS);

          final short[] rows = new short[4 * dim];
          for (int row = 0; row < 4; row++) {
            System.arraycopy(table, ids[row] * dim, rows, row * dim, dim);
          }
          assertThat(given.downloadBf16(kept, 4 * dim)).isEqualTo(rows);
          given.assertClose("norm", norm(rows, weight, dim), given.downloadBf16(out, 4 * dim));
        });
  }

  /** Rows that begin between two multiples of 16 bytes. */
  @Test
  void shouldNormAndGateWhereRowsAreNotAligned() {
    final int dim = 64;
    KernelFixture.inEveryOrder(
        given -> {
          final short[] x = given.randomBf16(2 * dim + 1, 2);
          final short[] weight = given.randomBf16(dim + 1, 1);
          final long dx = given.upload(x);
          final long normed = given.allocate(2L * 2 * dim);
          final long gated = given.allocate(2L * dim);

          given
              .kernels
              .rows()
              .rmsNorm(given.stream, normed, dx + 2, given.upload(weight) + 2, 2, dim, TERMS);
          given.kernels.rows().swiglu(given.stream, gated, dx + 2, 1, dim);

          final short[] rows = Arrays.copyOfRange(x, 1, x.length);
          final short[] gains = Arrays.copyOfRange(weight, 1, weight.length);
          given.assertClose("norm", norm(rows, gains, dim), given.downloadBf16(normed, 2 * dim));
          given.assertClose("swiglu", gated(rows, dim), given.downloadBf16(gated, dim));
        });
  }

  private static double[] norm(short[] x, short[] weight, int dim) {
    return norm(x, weight, dim, 0);
  }

  private static double[] norm(short[] x, short[] weight, int dim, double offset) {
    final double[] result = new double[x.length];
    for (int row = 0; row < x.length; row += dim) {
      double squares = 0;
      for (int i = 0; i < dim; i++) {
        squares += Math.pow(Bf16.toFloat(x[row + i]), 2);
      }
      final double scale = 1 / Math.sqrt(squares / dim + EPSILON);
      for (int i = 0; i < dim; i++) {
        result[row + i] = Bf16.toFloat(x[row + i]) * scale * (Bf16.toFloat(weight[i]) + offset);
      }
    }
    return result;
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "3, 257", "2, 768", "2, 2056"})
  void shouldGateWithSwiglu(int rows, int hidden) {
    KernelFixture.inEveryOrder(
        given -> {
          final short[] gateUp = given.randomBf16(rows * 2 * hidden, 4);
          final long out = given.allocate(2L * rows * hidden);

          given.kernels.rows().swiglu(given.stream, out, given.upload(gateUp), rows, hidden);

          given.assertClose(
              "swiglu", gated(gateUp, hidden), given.downloadBf16(out, rows * hidden));
        });
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "3, 257", "2, 768"})
  void shouldGateWithGeglu(int rows, int hidden) {
    KernelFixture.inEveryOrder(
        given -> {
          final short[] gateUp = given.randomBf16(rows * 2 * hidden, 4);
          final long out = given.allocate(2L * rows * hidden);

          given.kernels.rows().geglu(given.stream, out, given.upload(gateUp), rows, hidden);

          final double[] expected = new double[rows * hidden];
          for (int i = 0; i < expected.length; i++) {
            final int at = i / hidden * 2 * hidden + i % hidden;
            final double x = Bf16.toFloat(gateUp[at]);
            final double tangent = Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x * x * x));
            expected[i] = x / 2 * (1 + tangent) * Bf16.toFloat(gateUp[at + hidden]);
          }
          given.assertClose("geglu", expected, given.downloadBf16(out, expected.length));
        });
  }

  /** Far gates: all of the value, or nothing, and never NaN. */
  @Test
  void shouldGateFarValuesWithGeglu() {
    KernelFixture.inEveryOrder(
        given -> {
          final long out = given.allocate(4);
          final short[] gateUp = {Bf16.of(300), Bf16.of(-300), Bf16.of(2), Bf16.of(2)};

          given.kernels.rows().geglu(given.stream, out, given.upload(gateUp), 1, 2);

          assertThat(Bf16.toDoubles(given.downloadBf16(out, 2))).containsExactly(600.0, -0.0);
        });
  }

  /** Gates and inputs within the limit and beyond it on either side. */
  @ParameterizedTest
  @CsvSource({"1, 1", "3, 257", "2, 768"})
  void shouldGateWithClampedSwiglu(int rows, int hidden) {
    KernelFixture.inEveryOrder(
        given -> {
          final short[] gateUp = given.randomBf16(rows * 2 * hidden, 8);
          final long out = given.allocate(2L * rows * hidden);

          given.kernels.rows().swigluClamped(given.stream, out, given.upload(gateUp), rows, hidden);

          final double[] expected = new double[rows * hidden];
          for (int i = 0; i < expected.length; i++) {
            final int at = i / hidden * 2 * hidden + i % hidden;
            final double gate = Math.min(7, Bf16.toFloat(gateUp[at]));
            final double up = Math.clamp(Bf16.toFloat(gateUp[at + hidden]), -7.0, 7.0);
            expected[i] = gate / (1 + Math.exp(-1.702 * gate)) * (up + 1);
          }
          given.assertClose("swiglu", expected, given.downloadBf16(out, expected.length));
        });
  }

  /** The limit, 8 times 7 or -6 times it; nothing; and what is no number. */
  @Test
  void shouldGateFarValuesWithClampedSwiglu() {
    KernelFixture.inEveryOrder(
        given -> {
          final long out = given.allocate(12);
          final float none = Float.NaN;
          final short[] gateUp = new short[12];
          final float[] values = {300, 300, -300, none, 1, 0, 300, -300, 2, 1, none, 5};
          for (int i = 0; i < values.length; i++) {
            gateUp[i] = Bf16.of(values[i]);
          }

          given.kernels.rows().swigluClamped(given.stream, out, given.upload(gateUp), 1, 6);

          final double[] actual = Bf16.toDoubles(given.downloadBf16(out, 6));
          assertThat(actual).containsExactly(56.0, -42.0, -0.0, none, none, 0.0);
        });
  }

  /** Weights that are stored less one: rows that are aligned and others, in one go and not. */
  @ParameterizedTest
  @ValueSource(ints = {1, 33, 288, 1152, 2056, 16_392})
  void shouldNormByWeightsLessOneAndAdd(int dim) {
    KernelFixture.inEveryOrder(
        given -> {
          final short[] x = given.randomBf16(3 * dim, 2);
          final short[] weight = given.randomBf16(dim, 1);
          final short[] before = given.randomBf16(3 * dim, 1);
          final long dx = given.upload(x);
          final long dw = given.upload(weight);
          final long out = given.allocate(6L * dim);
          final long sum = given.upload(before);

          given.kernels.rows().rmsNorm(given.stream, out, dx, dw, 3, dim, LESS_ONE);
          given.kernels.rows().addNorm(given.stream, sum, dx, dw, 3, dim, LESS_ONE);

          final short[] normed = given.downloadBf16(out, 3 * dim);
          given.assertClose("norm", norm(x, weight, dim, 1), normed);
          final short[] added = new short[3 * dim];
          for (int i = 0; i < added.length; i++) {
            added[i] = Bf16.of(Bf16.toFloat(before[i]) + Bf16.toFloat(normed[i]));
          }
          assertThat(given.downloadBf16(sum, 3 * dim)).isEqualTo(added);
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {300, 2_304, 37})
  void shouldGatherAndScale(int dim) {
    final int[] ids = {6, 0, 3};
    KernelFixture.inEveryOrder(
        given -> {
          final short[] table = given.randomBf16(7 * dim, 1);
          final long out = given.allocate(2L * 3 * dim);
          final long rows = given.upload(table);

          given
              .kernels
              .rows()
              .gatherScaled(given.stream, out, rows, given.upload(ids), 3, dim, 33.75f);

          final short[] expected = new short[3 * dim];
          for (int i = 0; i < expected.length; i++) {
            expected[i] = Bf16.of(Bf16.toFloat(table[ids[i / dim] * dim + i % dim]) * 33.75f);
          }
          assertThat(given.downloadBf16(out, expected.length)).isEqualTo(expected);
        });
  }

  @Test
  void shouldCapLogits() {
    KernelFixture.inEveryOrder(
        given -> {
          final float[] logits = new float[3 * 700];
          for (int i = 0; i < logits.length; i++) {
            logits[i] = (i - 1_000) / 10f;
          }
          final long x = given.upload(logits);

          given.kernels.rows().capLogits(given.stream, x, 3, 700, 30);

          final float[] capped = given.downloadFloats(x, logits.length);
          for (int i = 0; i < logits.length; i++) {
            assertThat(capped[i])
                .isCloseTo((float) (30 * Math.tanh(logits[i] / 30)), within(1e-4f));
          }
        });
  }

  private static double[] gated(short[] gateUp, int hidden) {
    final double[] result = new double[gateUp.length / 2];
    for (int i = 0; i < result.length; i++) {
      final int at = i / hidden * 2 * hidden + i % hidden;
      final double gate = Bf16.toFloat(gateUp[at]);
      result[i] = gate / (1 + Math.exp(-gate)) * Bf16.toFloat(gateUp[at + hidden]);
    }
    return result;
  }

  /** Heads and pages, of any head dimension: there need not be attention kernels for it. */
  private record Heads(int heads, int kvHeads, int headDim, int blockSize, int rotaryDim) {
    int width() {
      return (heads + 2 * kvHeads) * headDim;
    }

    int blockValues() {
      return kvHeads * blockSize * headDim;
    }

    /** Weights are stored less one where there is one head of keys: some of each way to rotate. */
    NormTerms terms() {
      return kvHeads == 1 ? LESS_ONE : TERMS;
    }
  }

  @ParameterizedTest
  @CsvSource({
    "2, 1, 8, 4, 8",
    "3, 3, 16, 16, 16",
    "8, 2, 32, 1, 32",
    "4, 2, 64, 16, 64",
    "5, 1, 96, 16, 96",
    "3, 3, 128, 16, 128",
    "4, 2, 256, 8, 256",
    "32, 8, 128, 16, 128",
    "2, 1, 24, 16, 24",
    "4, 2, 128, 16, 96",
    "3, 1, 32, 4, 8",
    "4, 2, 64, 16, 40",
    "3, 1, 8, 4, 2",
    "4, 2, 128, 16, 50"
  })
  void shouldNormRotateAndWriteIntoTheCache(
      int heads, int kvHeads, int headDim, int blockSize, int rotaryDim) {
    final Heads shape = new Heads(heads, kvHeads, headDim, blockSize, rotaryDim);
    KernelFixture.inEveryOrder(
        given -> {
          rotateAndWrite(given, shape, null, null);
          rotateAndWrite(given, shape, given.randomBf16(headDim, 1), given.randomBf16(headDim, 1));
        });
  }

  private static void rotateAndWrite(
      KernelFixture given,
      Heads shape,
      short @Nullable [] queryWeight,
      short @Nullable [] keyWeight) {
    final int headDim = shape.headDim;
    final int blockSize = shape.blockSize;
    final int[] position = {0, 1, 4095, 17};
    final int[] slot = {5 * blockSize, blockSize - 1, 2 * blockSize, -1};
    final float[] inverseFrequency = new float[shape.rotaryDim / 2];
    for (int i = 0; i < inverseFrequency.length; i++) {
      inverseFrequency[i] = (float) Math.pow(10_000, -2.0 * i / shape.rotaryDim);
    }
    final short[] qkv = given.randomBf16(position.length * shape.width(), 1);
    final int stride = shape.blockValues() + 24; // other layers lie between
    final short[] empty = new short[6 * stride];
    Arrays.fill(empty, Bf16.of(77));
    final LayerCache cache = new LayerCache(given.upload(empty), given.upload(empty), stride);
    final long rows = given.upload(qkv);

    launch(
        given,
        shape,
        new long[] {
          rows,
          cache.keys(),
          cache.values(),
          given.upload(inverseFrequency),
          given.upload(position),
          given.upload(slot),
          queryWeight == null ? 0 : given.upload(queryWeight),
          keyWeight == null ? 0 : given.upload(keyWeight)
        },
        stride);

    final short[] actual = given.downloadBf16(rows, qkv.length);
    final short[] normed =
        queryWeight == null || keyWeight == null
            ? qkv
            : normHeads(qkv, shape, queryWeight, keyWeight);
    given.assertClose("rows", rotated(normed, shape, position, inverseFrequency), actual);
    assertThat(given.downloadBf16(cache.keys(), empty.length))
        .isEqualTo(written(empty, actual, shape, stride, slot, shape.heads));
    assertThat(given.downloadBf16(cache.values(), empty.length))
        .isEqualTo(written(empty, actual, shape, stride, slot, shape.heads + shape.kvHeads));
  }

  /** The nearest codes of value / scale, 448 at most, and nothing beside them. */
  @ParameterizedTest
  @CsvSource({
    "2, 1, 8, 4, 8",
    "8, 2, 32, 1, 32",
    "3, 3, 128, 16, 128",
    "4, 2, 128, 16, 96",
    "4, 2, 64, 16, 40",
    "3, 1, 8, 4, 2"
  })
  void shouldWriteCodesIntoTheCache(
      int heads, int kvHeads, int headDim, int blockSize, int rotaryDim) {
    final Heads shape = new Heads(heads, kvHeads, headDim, blockSize, rotaryDim);
    final PageScales scales = new PageScales(0.004f, 3);
    KernelFixture.inEveryOrder(
        given -> {
          for (boolean normed : new boolean[] {false, true}) {
            final int[] slot = {5 * blockSize, blockSize - 1, 2 * blockSize, -1};
            final short[] qkv = given.randomBf16(4 * shape.width(), 1);
            qkv[shape.width() - 1] = Bf16.of(Float.NaN);
            final int stride = shape.blockValues() + 24;
            final byte[] empty = new byte[6 * stride];
            final long rows = given.upload(qkv);
            final LayerCache cache =
                new LayerCache(given.upload(empty), given.upload(empty), stride, scales);

            given
                .kernels
                .rows()
                .ropeAndWrite(
                    given.stream,
                    rows,
                    cache,
                    given.upload(new float[rotaryDim / 2]),
                    given.upload(0, 1, 2, 3),
                    given.upload(slot),
                    normed ? given.upload(given.randomBf16(headDim, 1)) : 0,
                    normed ? given.upload(given.randomBf16(headDim, 1)) : 0,
                    4,
                    new AttentionKernelShape(heads, kvHeads, headDim, blockSize),
                    rotaryDim,
                    1,
                    TERMS);

            final short[] actual = given.downloadBf16(rows, qkv.length);
            final short[] nowhere = new short[6 * stride];
            assertThat(given.downloadBytes(cache.keys(), empty.length))
                .isEqualTo(
                    codes(written(nowhere, actual, shape, stride, slot, heads), scales.keys()));
            assertThat(given.downloadBytes(cache.values(), empty.length))
                .isEqualTo(
                    codes(
                        written(nowhere, actual, shape, stride, slot, heads + kvHeads),
                        scales.values()));
          }
        });
  }

  private static byte[] codes(short[] values, float scale) {
    final byte[] codes = new byte[values.length];
    for (int i = 0; i < codes.length; i++) {
      codes[i] = E4m3.toBits(Bf16.toFloat(values[i]) * (1 / scale));
    }
    return codes;
  }

  /** By {@link RowKernels} where attention has kernels for the head dimension, else by name. */
  private static void launch(KernelFixture given, Heads shape, long[] addresses, int stride) {
    if (List.of(24).contains(shape.headDim)) {
      final KernelParameter[] parameters = new KernelParameter[17];
      Arrays.fill(parameters, 0, 8, KernelParameter.POINTER);
      Arrays.fill(parameters, 8, 14, KernelParameter.I32);
      Arrays.fill(parameters, 14, 17, KernelParameter.F32);
      final Kernel kernel =
          given
              .device
              .loadModule("kernels", KernelImage.ALL.ptx())
              .kernel("rope_kv_write", parameters);
      for (long address : addresses) {
        kernel.pointer(address);
      }
      kernel.i32(stride).i32(shape.heads).i32(shape.kvHeads).i32(shape.headDim);
      kernel.i32(shape.blockSize).i32(shape.rotaryDim).f32(1.25f).f32(EPSILON);
      kernel.f32(shape.terms().offset());
      kernel.launch(given.stream, 4, 1, 1, 64, 0);
      return;
    }
    given
        .kernels
        .rows()
        .ropeAndWrite(
            given.stream,
            addresses[0],
            new LayerCache(addresses[1], addresses[2], stride),
            addresses[3],
            addresses[4],
            addresses[5],
            addresses[6],
            addresses[7],
            4,
            new AttentionKernelShape(shape.heads, shape.kvHeads, shape.headDim, shape.blockSize),
            shape.rotaryDim,
            1.25f,
            shape.terms());
  }

  /** Normed and rounded to bf16, as if it had been a kernel of its own. */
  private static short[] normHeads(
      short[] qkv, Heads shape, short[] queryWeight, short[] keyWeight) {
    final short[] result = qkv.clone();
    for (int at = 0; at < qkv.length; at += shape.headDim) {
      final int head = at % shape.width() / shape.headDim;
      if (head < shape.heads + shape.kvHeads) {
        final short[] one = Arrays.copyOfRange(qkv, at, at + shape.headDim);
        final double[] normed =
            norm(
                one,
                head < shape.heads ? queryWeight : keyWeight,
                shape.headDim,
                shape.terms().offset());
        for (int i = 0; i < normed.length; i++) {
          result[at + i] = Bf16.of(normed[i]);
        }
      }
    }
    return result;
  }

  private static double[] rotated(
      short[] qkv, Heads shape, int[] position, float[] inverseFrequency) {
    final double[] result = Bf16.toDoubles(qkv);
    final int half = inverseFrequency.length;
    for (int row = 0; row < position.length; row++) {
      for (int head = 0; head < shape.heads + shape.kvHeads; head++) {
        for (int i = 0; i < half; i++) {
          final int at = row * shape.width() + head * shape.headDim + i;
          final double angle = (double) (position[row] * inverseFrequency[i]);
          final double a = result[at];
          final double b = result[at + half];
          result[at] = 1.25 * (a * Math.cos(angle) - b * Math.sin(angle));
          result[at + half] = 1.25 * (b * Math.cos(angle) + a * Math.sin(angle));
        }
      }
    }
    return result;
  }

  /** The cache after the heads from {@code firstHead} on of each row went to the row's slot. */
  private static short[] written(
      short[] before, short[] qkv, Heads shape, int stride, int[] slot, int firstHead) {
    final short[] cache = before.clone();
    for (int row = 0; row < slot.length; row++) {
      for (int head = 0; head < shape.kvHeads && slot[row] >= 0; head++) {
        final int block = slot[row] / shape.blockSize;
        final int offset = slot[row] % shape.blockSize;
        System.arraycopy(
            qkv,
            row * shape.width() + (firstHead + head) * shape.headDim,
            cache,
            block * stride + (head * shape.blockSize + offset) * shape.headDim,
            shape.headDim);
      }
    }
    return cache;
  }

  @Test
  void shouldNameTheKernelAndTheShapeItCannotDo() {
    try (KernelFixture given = new KernelFixture()) {
      assertThatThrownBy(() -> given.kernels.rows().swiglu(given.stream, 0, 0, 70_000, 8))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("swiglu: rows must be in [1, 65535]: rows=70000");
    }
    assertThatThrownBy(() -> new AttentionKernelShape(8, 2, 80, 16))
        .hasMessage(
            "headDim must be one of 8, 16, 32, 64, 96, 128, 256, for which there are kernels:"
                + " headDim=80");
    assertThatThrownBy(() -> new AttentionKernelShape(8, 3, 64, 16))
        .hasMessage("heads must be a multiple of kvHeads, both >= 1: heads=8, kvHeads=3");
  }
}
