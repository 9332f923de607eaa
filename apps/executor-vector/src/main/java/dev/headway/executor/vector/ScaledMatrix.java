package dev.headway.executor.vector;

import dev.headway.executor.model.ModelWeights;
import dev.headway.executor.model.QuantizedMatrix;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A quantised matrix in native memory: a byte for each weight, and the scales of each output as
 * floats. Immutable once read; any thread.
 *
 * <pre>
 * panels and inputs as in {@link PackedMatrix}
 * 8 bits:  word i holds outputs i, i + 16, i + 32 and i + 48, the first in its lowest byte
 * scales:  panel 0: group 0 of its inputs: 64 outputs | group 1 ... | panel 1 ...
 * </pre>
 */
final class ScaledMatrix implements PanelMatrix {

  private static final int WORDS = Lanes.PANEL / 4;

  private final int inputs;
  private final int panels;
  private final int groupInputs;
  private final MemorySegment codes;
  private final float[] scales;

  private ScaledMatrix(int inputs, int panels, int groupInputs, Arena arena) {
    this.inputs = inputs;
    this.panels = panels;
    this.groupInputs = groupInputs;
    this.codes = arena.allocate((long) panels * inputs * Lanes.PANEL, 64);
    this.scales = new float[Math.multiplyExact(panels * Lanes.PANEL, groups())];
  }

  /** Whether all parts are stored so that they can be kept so side by side. */
  static boolean fits(ModelWeights source, PackedMatrix.Part... parts) {
    final Set<Optional<List<Object>>> groupings =
        Arrays.stream(parts)
            .map(part -> source.quantized(part.tensor()).map(ScaledMatrix::grouping))
            .collect(Collectors.toSet());
    return groupings.size() == 1 && !groupings.contains(Optional.<List<Object>>empty());
  }

  private static List<Object> grouping(QuantizedMatrix matrix) {
    return List.of(matrix.code(), matrix.columnsPerScale());
  }

  /**
   * Copies tensors that {@link #fits} has found fitting, side by side, with all workers.
   *
   * @throws IllegalArgumentException if a weight is not finite
   */
  static ScaledMatrix read(
      WorkerPool pool, Arena arena, ModelWeights source, int inputs, PackedMatrix.Part... parts) {
    final List<QuantizedMatrix> matrices =
        Arrays.stream(parts).map(part -> source.quantized(part.tensor()).orElseThrow()).toList();
    final int outputs = Arrays.stream(parts).mapToInt(PackedMatrix.Part::outputs).sum();
    final ScaledMatrix matrix =
        new ScaledMatrix(
            inputs,
            Lanes.padded(outputs) / Lanes.PANEL,
            matrices.getFirst().columnsPerScale(),
            arena);
    pool.forEach(
        matrix.panels,
        WorkerPool.ALWAYS_SHARED,
        (worker, panel) -> matrix.pack(panel, matrices, parts));
    return matrix;
  }

  private int groups() {
    return Math.ceilDiv(inputs, groupInputs);
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
        for (int group = 0; group < groups(); group++) {
          scales[scalesAt(panel, group) + lane] = matrix.scale(output, group * groupInputs);
        }
      }
      output -= parts[part].outputs();
    }
  }

  private static void requireNumbers(
      String tensor, QuantizedMatrix matrix, int output, byte[] row) {
    for (int k = 0; k < row.length; k++) {
      final float weight = matrix.code().value(row[k]) * matrix.scale(output, k);
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

  private int scalesAt(int panel, int group) {
    return (panel * groups() + group) * Lanes.PANEL;
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
      final int group = (from + done) / groupInputs;
      final int some = Math.min(count - done, (group + 1) * groupInputs - from - done);
      Widening.e4m3s(
          codes,
          offset(panel, from + done),
          some,
          scales,
          scalesAt(panel, group),
          slab,
          done * Lanes.PANEL);
      done += some;
    }
  }
}
