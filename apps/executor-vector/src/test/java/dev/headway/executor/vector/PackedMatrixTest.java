package dev.headway.executor.vector;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.executor.model.ModelWeights;
import dev.headway.executor.model.WeightType;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

class PackedMatrixTest {

  /** Weights [300, 256]: row n, column k is the value with the bits 256 n + k, if it is finite. */
  private record AllValues(WeightType type) implements ModelWeights {
    static final int ROWS = 300; // the rows from 256 on begin anew
    static final int COLUMNS = 256;

    float value(int row, int column) {
      final int bits = (row << 8 | column) & 0xffff;
      final float value =
          type == WeightType.F16
              ? Float.float16ToFloat((short) bits)
              : Float.intBitsToFloat(type == WeightType.BF16 ? bits << 16 : bits << 16 | 0x1234);
      return Float.isFinite(value) ? value : 0;
    }

    @Override
    public WeightType type(String tensor) {
      return type;
    }

    @Override
    public void read(String tensor, long from, float[] target, int offset, int length) {
      for (int i = 0; i < length; i++) {
        final long index = from + i;
        target[offset + i] = value((int) (index / COLUMNS), (int) (index % COLUMNS));
      }
    }

    @Override
    public void close() {}
  }

  @AutoClose private final Arena arena = Arena.ofShared();
  @AutoClose private final WorkerPool pool = new WorkerPool(2);

  @Test
  void shouldKeepEveryHalfFloatExactly() {
    assertKeepsAll(new AllValues(WeightType.F16));
  }

  @Test
  void shouldKeepEveryBfloat16Exactly() {
    assertKeepsAll(new AllValues(WeightType.BF16));
  }

  @Test
  void shouldKeepFloatsExactly() {
    assertKeepsAll(new AllValues(WeightType.F32));
  }

  @Test
  void shouldReadNoWeightForNoRow() {
    final int columns = AllValues.COLUMNS;
    final PackedMatrix.Part part = new PackedMatrix.Part("all", 64);
    final PackedMatrix matrix =
        PackedMatrix.read(pool, arena, new AllValues(WeightType.BF16), columns, part);
    final Activations x = new Activations("x", columns);
    final Activations y = new Activations("y", 64);
    final float[] slab = PackedLinear.newSlab();
    x.reserve(1);
    y.reserve(1);
    final PackedLinear linear = new PackedLinear(matrix, new float[64]);

    linear.apply(0, x, 0, y, slab);
    assertThat(slab).containsOnly(0);

    linear.apply(0, x, 1, y, slab); // or the test could not fail
    assertThat(slab[1]).isNotZero();
  }

  private void assertKeepsAll(AllValues source) {
    final PackedMatrix matrix =
        PackedMatrix.read(
            pool,
            arena,
            source,
            AllValues.COLUMNS,
            new PackedMatrix.Part("all", AllValues.ROWS - 7),
            new PackedMatrix.Part("all again", 7));
    final float[] slab = PackedLinear.newSlab();
    final float[] row = new float[AllValues.COLUMNS];
    assertThat(matrix.panels()).isEqualTo(5);
    for (int output = 0; output < AllValues.ROWS; output++) {
      final int sourceRow = output < AllValues.ROWS - 7 ? output : output - (AllValues.ROWS - 7);
      matrix.row(output, row, 0);
      for (int k = 0; k < AllValues.COLUMNS; k++) {
        if (k % 64 == 0) {
          matrix.widen(output / Lanes.PANEL, k, 64, slab);
        }
        final int expected = Float.floatToRawIntBits(source.value(sourceRow, k));
        final float widened = slab[k % 64 * Lanes.PANEL + output % Lanes.PANEL];
        final String what = "output=" + output + ", input=" + k;
        assertThat(Float.floatToRawIntBits(row[k])).as(what).isEqualTo(expected);
        assertThat(Float.floatToRawIntBits(widened)).as(what).isEqualTo(expected);
      }
    }
  }
}
