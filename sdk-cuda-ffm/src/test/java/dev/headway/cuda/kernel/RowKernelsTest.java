package dev.headway.cuda.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.cuda.emulation.OnCudaDriver;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Norms, gather, SwiGLU and rotary embedding against double precision. */
@OnCudaDriver
class RowKernelsTest {
  private static final float EPSILON = 1e-5f;

  @ParameterizedTest
  @CsvSource({"1, 1", "3, 8", "2, 33", "5, 288", "2, 1024", "1, 4100"})
  void shouldNormRows(int rows, int dim) {
    KernelFixture.inEveryOrder(
        given -> {
          final short[] x = given.randomBf16(rows * dim, 3);
          final short[] weight = given.randomBf16(dim, 1);
          final long out = given.allocate(2L * rows * dim);

          given
              .kernels
              .rows()
              .rmsNorm(
                  given.stream, out, given.upload(x), 0, given.upload(weight), rows, dim, EPSILON);

          given.assertClose("norm", norm(x, weight, dim), given.downloadBf16(out, rows * dim));
        });
  }

  @Test
  void shouldAddBeforeTheNormAndKeepTheSum() {
    final int rows = 3;
    final int dim = 72;
    KernelFixture.inEveryOrder(
        given -> {
          final short[] x = given.randomBf16(rows * dim, 1);
          final short[] add = given.randomBf16(rows * dim, 1);
          final short[] weight = given.randomBf16(dim, 1);
          final long residual = given.upload(x);
          final long out = given.allocate(2L * rows * dim);

          given
              .kernels
              .rows()
              .rmsNorm(
                  given.stream,
                  out,
                  residual,
                  given.upload(add),
                  given.upload(weight),
                  rows,
                  dim,
                  EPSILON);

          final short[] sum = new short[rows * dim];
          for (int i = 0; i < sum.length; i++) {
            sum[i] = Bf16.of(Bf16.toFloat(x[i]) + Bf16.toFloat(add[i]));
          }
          assertThat(given.downloadBf16(residual, rows * dim)).isEqualTo(sum);
          given.assertClose("norm", norm(sum, weight, dim), given.downloadBf16(out, rows * dim));
        });
  }

  private static double[] norm(short[] x, short[] weight, int dim) {
    final double[] result = new double[x.length];
    for (int row = 0; row < x.length; row += dim) {
      double squares = 0;
      for (int i = 0; i < dim; i++) {
        squares += Math.pow(Bf16.toFloat(x[row + i]), 2);
      }
      final double scale = 1 / Math.sqrt(squares / dim + EPSILON);
      for (int i = 0; i < dim; i++) {
        result[row + i] = Bf16.toFloat(x[row + i]) * scale * Bf16.toFloat(weight[i]);
      }
    }
    return result;
  }

  @ParameterizedTest
  @CsvSource({"2, 1, 8", "3, 3, 16", "8, 2, 64", "4, 2, 128"})
  void shouldNormHeadsInPlaceAndLeaveValues(int heads, int kvHeads, int headDim) {
    final int rows = 3;
    final AttentionKernelShape shape = new AttentionKernelShape(heads, kvHeads, headDim, 16);
    final int width = shape.qkvWidth();
    KernelFixture.inEveryOrder(
        given -> {
          final short[] qkv = given.randomBf16(rows * width, 2);
          final short[] queryWeight = given.randomBf16(headDim, 1);
          final short[] keyWeight = given.randomBf16(headDim, 1);
          final long address = given.upload(qkv);

          given
              .kernels
              .rows()
              .headNorm(
                  given.stream,
                  address,
                  given.upload(queryWeight),
                  given.upload(keyWeight),
                  rows,
                  shape,
                  EPSILON);

          final double[] expected = Bf16.toDoubles(qkv);
          for (int at = 0; at < expected.length; at += headDim) {
            final int head = at % width / headDim;
            if (head < heads + kvHeads) {
              final short[] one = Arrays.copyOfRange(qkv, at, at + headDim);
              final double[] normed = norm(one, head < heads ? queryWeight : keyWeight, headDim);
              System.arraycopy(normed, 0, expected, at, headDim);
            }
          }
          given.assertClose("heads", expected, given.downloadBf16(address, rows * width));
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 8, 20, 300, 2056})
  void shouldGatherRows(int dim) {
    KernelFixture.inEveryOrder(
        given -> {
          final short[] table = given.randomBf16(7 * dim, 1);
          final int[] ids = {6, 0, 3, 3};
          final long out = given.allocate(8L * dim);

          given
              .kernels
              .rows()
              .gather(given.stream, out, given.upload(table), given.upload(ids), 4, dim);

          final short[] actual = given.downloadBf16(out, 4 * dim);
          for (int row = 0; row < 4; row++) {
            for (int i = 0; i < dim; i++) {
              assertThat(actual[row * dim + i]).isEqualTo(table[ids[row] * dim + i]);
            }
          }
        });
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "3, 257", "2, 768"})
  void shouldGateWithSwiglu(int rows, int hidden) {
    KernelFixture.inEveryOrder(
        given -> {
          final short[] gateUp = given.randomBf16(rows * 2 * hidden, 4);
          final long out = given.allocate(2L * rows * hidden);

          given.kernels.rows().swiglu(given.stream, out, given.upload(gateUp), rows, hidden);

          final double[] expected = new double[rows * hidden];
          for (int i = 0; i < expected.length; i++) {
            final int at = i / hidden * 2 * hidden + i % hidden;
            final double gate = Bf16.toFloat(gateUp[at]);
            expected[i] = gate / (1 + Math.exp(-gate)) * Bf16.toFloat(gateUp[at + hidden]);
          }
          given.assertClose("swiglu", expected, given.downloadBf16(out, rows * hidden));
        });
  }

  @ParameterizedTest
  @CsvSource({"2, 1, 8, 4", "4, 2, 64, 16", "3, 3, 128, 16", "8, 2, 32, 1"})
  void shouldRotateAndWriteIntoTheCache(int heads, int kvHeads, int headDim, int blockSize) {
    final AttentionKernelShape shape = new AttentionKernelShape(heads, kvHeads, headDim, blockSize);
    final int blocks = 6;
    final int[] position = {0, 1, 4095, 17};
    final int[] slot = {5 * blockSize, blockSize - 1, 2 * blockSize, -1};
    KernelFixture.inEveryOrder(
        given -> {
          final float[] inverseFrequency = new float[headDim / 2];
          for (int i = 0; i < inverseFrequency.length; i++) {
            inverseFrequency[i] = (float) Math.pow(10_000, -2.0 * i / headDim);
          }
          final short[] qkv = given.randomBf16(position.length * shape.qkvWidth(), 1);
          final int stride = shape.blockValues() + 24; // other layers lie between
          final int cacheValues = blocks * stride;
          final short untouched = Bf16.of(77);
          final short[] empty = new short[cacheValues];
          Arrays.fill(empty, untouched);
          final LayerCache cache = new LayerCache(given.upload(empty), given.upload(empty), stride);
          final long rows = given.upload(qkv);

          given
              .kernels
              .rows()
              .ropeAndWrite(
                  given.stream,
                  rows,
                  cache,
                  given.upload(inverseFrequency),
                  given.upload(position),
                  given.upload(slot),
                  position.length,
                  shape,
                  1.25f);

          final short[] actual = given.downloadBf16(rows, qkv.length);
          given.assertClose("rows", rotated(qkv, shape, position, inverseFrequency), actual);
          assertThat(given.downloadBf16(cache.keys(), cacheValues))
              .isEqualTo(written(empty, actual, shape, stride, slot, heads));
          assertThat(given.downloadBf16(cache.values(), cacheValues))
              .isEqualTo(written(empty, actual, shape, stride, slot, heads + kvHeads));
        });
  }

  private static double[] rotated(
      short[] qkv, AttentionKernelShape shape, int[] position, float[] inverseFrequency) {
    final double[] result = Bf16.toDoubles(qkv);
    final int half = shape.headDim() / 2;
    for (int row = 0; row < position.length; row++) {
      for (int head = 0; head < shape.heads() + shape.kvHeads(); head++) {
        for (int i = 0; i < half; i++) {
          final int at = row * shape.qkvWidth() + head * shape.headDim() + i;
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
      short[] before,
      short[] qkv,
      AttentionKernelShape shape,
      int stride,
      int[] slot,
      int firstHead) {
    final short[] cache = before.clone();
    for (int row = 0; row < slot.length; row++) {
      for (int head = 0; head < shape.kvHeads() && slot[row] >= 0; head++) {
        final int block = slot[row] / shape.blockSize();
        final int offset = slot[row] % shape.blockSize();
        System.arraycopy(
            qkv,
            row * shape.qkvWidth() + (firstHead + head) * shape.headDim(),
            cache,
            block * stride + (head * shape.blockSize() + offset) * shape.headDim(),
            shape.headDim());
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
