package dev.headway.executor.vector;

import dev.headway.executor.model.ModelWeights;
import dev.headway.executor.model.QuantizedMatrix;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A quantised matrix in native memory: a byte for each weight, and the scales of each output as
 * floats, and what is subtracted then, if the format does so. Immutable once read; any thread.
 *
 * <pre>
 * panels and inputs as in {@link PackedMatrix}
 * 8 bits:  word i holds outputs i, i + 16, i + 32 and i + 48, the first in its lowest byte
 * scales:  panel 0: group 0 of its inputs: 64 outputs | group 1 ... | panel 1 ...
 * </pre>
 */
final class ScaledMatrix implements PanelMatrix {

  private static final int WORDS = Lanes.PANEL / 4;

  /** Bytes of a panel's scales of one group. */
  private static final long SCALES = (long) Float.BYTES * Lanes.PANEL;

  private final QuantizedMatrix.Code code;
  private final int inputs;
  private final int panels;
  private final int[] groupOfInput;
  private final int groups;
  private final MemorySegment codes;
  private final MemorySegment scales;

  /** As the scales; empty if all are 0. */
  private final MemorySegment offsets;

  private ScaledMatrix(QuantizedMatrix first, int panels, Arena arena) {
    this.code = first.code();
    this.inputs = first.columns();
    this.panels = panels;
    this.groupOfInput = groupsOf(first);
    this.groups = first.groups();
    this.codes = arena.allocate((long) panels * inputs * Lanes.PANEL, 64);
    this.scales = arena.allocate((long) panels * groups * SCALES, 64);
    this.offsets = first.hasOffsets() ? arena.allocate(scales.byteSize(), 64) : MemorySegment.NULL;
  }

  private static int[] groupsOf(QuantizedMatrix matrix) {
    return IntStream.range(0, matrix.columns()).map(matrix::group).toArray();
  }

  /** Whether all parts are stored so that they can be kept so side by side. */
  static boolean fits(ModelWeights source, PackedMatrix.Part... parts) {
    final List<QuantizedMatrix> matrices =
        Arrays.stream(parts).flatMap(part -> source.quantized(part.tensor()).stream()).toList();
    return matrices.size() == parts.length
        && matrices.stream().allMatch(matrix -> fits(matrices.getFirst(), matrix));
  }

  private static boolean fits(QuantizedMatrix first, QuantizedMatrix other) {
    return first.code() == other.code()
        && first.groups() == other.groups()
        && first.hasOffsets() == other.hasOffsets()
        && Arrays.equals(groupsOf(first), groupsOf(other));
  }

  /**
   * Copies tensors that {@link #fits} has found fitting, side by side, with all workers.
   *
   * @throws IllegalArgumentException if a weight is not finite
   */
  static ScaledMatrix read(
      WorkerPool pool, Arena arena, ModelWeights source, PackedMatrix.Part... parts) {
    final List<QuantizedMatrix> matrices =
        Arrays.stream(parts).map(part -> source.quantized(part.tensor()).orElseThrow()).toList();
    final int outputs = Arrays.stream(parts).mapToInt(PackedMatrix.Part::outputs).sum();
    final ScaledMatrix matrix =
        new ScaledMatrix(matrices.getFirst(), Lanes.padded(outputs) / Lanes.PANEL, arena);
    pool.forEach(
        matrix.panels,
        WorkerPool.ALWAYS_SHARED,
        (worker, panel) -> matrix.pack(panel, matrices, parts));
    return matrix;
  }

  private void pack(int panel, List<QuantizedMatrix> matrices, PackedMatrix.Part[] parts) {
    final byte[] row = new byte[inputs];
    int output = panel * Lanes.PANEL;
    int lane = 0;
    for (int part = 0; part < parts.length; part++) {
      final QuantizedMatrix matrix = matrices.get(part);
      for (; output < parts[part].outputs() && lane < Lanes.PANEL; output++, lane++) {
        matrix.readCodes((long) output * inputs, MemorySegment.ofArray(row), inputs);
        requireNumbers(parts[part].tensor(), matrix, output, row);
        packLane(panel, lane, row);
        for (int group = 0; group < groups; group++) {
          final long at = scalesAt(panel, group) + (long) Float.BYTES * lane;
          scales.set(ValueLayout.JAVA_FLOAT, at, matrix.scale(output, group));
          if (offsets.byteSize() > 0) {
            offsets.set(ValueLayout.JAVA_FLOAT, at, matrix.offset(output, group));
          }
        }
      }
      output -= parts[part].outputs();
    }
  }

  private static void requireNumbers(
      String tensor, QuantizedMatrix matrix, int output, byte[] row) {
    for (int k = 0; k < row.length; k++) {
      final int group = matrix.group(k);
      final float weight =
          matrix.code().value(row[k]) * matrix.scale(output, group) - matrix.offset(output, group);
      if (!Float.isFinite(weight)) {
        throw PackedMatrix.notFinite(tensor, output, k, weight);
      }
    }
  }

  private void packLane(int panel, int lane, byte[] row) {
    final long at = offset(panel, 0) + 4L * (lane % WORDS) + lane / WORDS;
    for (int k = 0; k < row.length; k++) {
      codes.set(ValueLayout.JAVA_BYTE, at + (long) k * Lanes.PANEL, row[k]);
    }
  }

  private long offset(int panel, int input) {
    return ((long) panel * inputs + input) * Lanes.PANEL;
  }

  private long scalesAt(int panel, int group) {
    return ((long) panel * groups + group) * SCALES;
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
    int done = 0;
    while (done < count) {
      final int group = groupOfInput[from + done];
      int some = 1;
      while (done + some < count && groupOfInput[from + done + some] == group) {
        some++;
      }
      final long codesAt = offset(panel, from + done);
      final long scalesAt = scalesAt(panel, group);
      final int to = done * Lanes.PANEL;
      if (code == QuantizedMatrix.Code.E4M3) {
        Widening.e4m3s(codes, codesAt, some, scales, scalesAt, slab, to);
      } else {
        Widening.bytes(codes, codesAt, some, scales, scalesAt, slab, to);
      }
      if (offsets.byteSize() > 0) {
        Widening.subtract(offsets, scalesAt, some, slab, to);
      }
      done += some;
    }
  }
}
