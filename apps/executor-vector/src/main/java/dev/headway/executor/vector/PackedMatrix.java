package dev.headway.executor.vector;

import dev.headway.executor.model.ModelWeights;
import dev.headway.executor.model.WeightType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/**
 * A matrix in native memory, in the precision in which it is stored: 2 bytes a weight for bfloat16
 * and half floats, 4 for floats. Immutable once read; any thread.
 *
 * <pre>
 * panel 0: outputs 0..63                          panel 1: outputs 64..127  ...
 *   input 0: 64 weights | input 1: 64 weights | ...
 * 16 bits:  word i holds output i in its lower half and output i + 32 in its upper half
 * </pre>
 *
 * <p>So a step streams through the matrix once, and a vector holds outputs, never inputs.
 */
final class PackedMatrix implements PanelMatrix {

  private static final int HALF = Lanes.PANEL / 2;

  private final WeightType type;
  private final int inputs;
  private final int panels;
  private final int bytesPerInput;
  private final MemorySegment weights;

  /** A tensor, [outputs, inputs], whose outputs follow those of the part before. */
  record Part(String tensor, int outputs) {}

  private PackedMatrix(WeightType type, int inputs, int panels, Arena arena) {
    this.type = type;
    this.inputs = inputs;
    this.panels = panels;
    this.bytesPerInput = Lanes.PANEL * type.bytes();
    this.weights = arena.allocate((long) panels * inputs * bytesPerInput, 64);
  }

  /**
   * Copies tensors, side by side, with all workers. Parts of different types become floats.
   *
   * @throws IllegalArgumentException if a weight is not finite
   */
  static PackedMatrix read(
      WorkerPool pool, Arena arena, ModelWeights source, int inputs, Part... parts) {
    final int outputs = Arrays.stream(parts).mapToInt(Part::outputs).sum();
    final WeightType first = source.type(parts[0].tensor());
    final boolean same = Arrays.stream(parts).allMatch(p -> source.type(p.tensor()) == first);
    final PackedMatrix matrix =
        new PackedMatrix(
            same ? first : WeightType.F32, inputs, Lanes.padded(outputs) / Lanes.PANEL, arena);
    pool.forEach(
        matrix.panels,
        WorkerPool.ALWAYS_SHARED,
        (worker, panel) -> matrix.pack(panel, readPanel(source, parts, inputs, panel)));
    return matrix;
  }

  /** The rows of a panel; zeros behind the last output. */
  private static float[] readPanel(ModelWeights source, Part[] parts, int inputs, int panel) {
    final float[] rows = new float[Lanes.PANEL * inputs];
    int output = panel * Lanes.PANEL;
    int lane = 0;
    for (Part part : parts) {
      for (; output < part.outputs() && lane < Lanes.PANEL; output++, lane++) {
        source.read(part.tensor(), (long) output * inputs, rows, lane * inputs, inputs);
        requireNumbers(part.tensor(), output, rows, lane * inputs, inputs);
      }
      output -= part.outputs();
    }
    return rows;
  }

  private static void requireNumbers(
      String tensor, int output, float[] rows, int from, int inputs) {
    for (int k = 0; k < inputs; k++) {
      if (!Float.isFinite(rows[from + k])) {
        throw notFinite(tensor, output, k, rows[from + k]);
      }
    }
  }

  static IllegalArgumentException notFinite(String tensor, int row, int column, float weight) {
    return new IllegalArgumentException(
        "weights must be finite: tensor='"
            + tensor
            + "', row="
            + row
            + ", column="
            + column
            + ", weight="
            + weight);
  }

  private void pack(int panel, float[] rows) {
    for (int k = 0; k < inputs; k++) {
      final long at = offset(panel, k);
      if (type == WeightType.F32) {
        for (int lane = 0; lane < Lanes.PANEL; lane++) {
          weights.set(ValueLayout.JAVA_FLOAT, at + 4L * lane, rows[lane * inputs + k]);
        }
      } else {
        for (int i = 0; i < HALF; i++) {
          final int low = bits(rows[i * inputs + k]);
          final int high = bits(rows[(i + HALF) * inputs + k]);
          weights.set(ValueLayout.JAVA_INT, at + 4L * i, low | high << 16);
        }
      }
    }
  }

  private int bits(float weight) {
    return type == WeightType.F16
        ? Float.floatToFloat16(weight) & 0xffff
        : Float.floatToRawIntBits(weight) >>> 16;
  }

  private long offset(int panel, int input) {
    return ((long) panel * inputs + input) * bytesPerInput;
  }

  @Override
  public int inputs() {
    return inputs;
  }

  @Override
  public int panels() {
    return panels;
  }

  @Override
  public void widen(int panel, int from, int count, float[] slab) {
    final long at = offset(panel, from);
    switch (type) {
      case F32 ->
          MemorySegment.copy(weights, ValueLayout.JAVA_FLOAT, at, slab, 0, count * Lanes.PANEL);
      case F16 -> Widening.halves(weights, at, count * HALF, slab);
      case BF16 -> Widening.bfloat16s(weights, at, count * HALF, slab);
    }
  }

  /** Sets {@code inputs} elements of {@code target} to the row of an output: an embedding. */
  void row(int output, float[] target, int to) {
    final int panel = output / Lanes.PANEL;
    final int lane = output % Lanes.PANEL;
    for (int k = 0; k < inputs; k++) {
      final long at = offset(panel, k);
      if (type == WeightType.F32) {
        target[to + k] = weights.get(ValueLayout.JAVA_FLOAT, at + 4L * lane);
      } else {
        final int word = weights.get(ValueLayout.JAVA_INT, at + 4L * (lane % HALF));
        final int upper = lane < HALF ? word << 16 : word & 0xffff0000;
        target[to + k] =
            type == WeightType.F16
                ? Float.float16ToFloat((short) (upper >>> 16))
                : Float.intBitsToFloat(upper);
      }
    }
  }
}
