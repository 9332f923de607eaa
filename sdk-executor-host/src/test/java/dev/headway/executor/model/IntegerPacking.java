package dev.headway.executor.model;

import java.util.ArrayList;
import java.util.List;

/**
 * Rounds a matrix to integers and packs them as the library does that wrote the format, word by
 * word. Nothing is cut off, so that each weight is within half a scale.
 *
 * @param groupSize inputs of a group; 0 for all
 * @param reordered whether a group's inputs lie apart
 */
record IntegerPacking(Kind kind, int bits, int groupSize, boolean symmetric, boolean reordered)
    implements QuantizedModel.Packing {

  enum Kind {
    AWQ,
    GPTQ,
    GPTQ_V2,
    TENSORS
  }

  /** AutoAWQ's {@code order_map}: which output is at place i of a word. */
  private static final int[] AWQ_ORDER = {0, 2, 4, 6, 1, 3, 5, 7};

  @Override
  public void add(SafetensorsBytes file, String module, int rows, int columns, float[] values) {
    final int inGroup = groupSize == 0 ? columns : groupSize;
    final int groups = columns / inGroup;
    final int[] groupOf = new int[columns];
    for (int k = 0; k < columns; k++) {
      groupOf[k] = (reordered ? (k * 7 + 3) % columns : k) / inGroup; // 7 divides no size
    }
    final float[][] scales = new float[rows][groups];
    final int[][] zeros = new int[rows][groups];
    final int[][] stored = new int[rows][columns];
    for (int row = 0; row < rows; row++) {
      for (int group = 0; group < groups; group++) {
        choose(values, row, columns, groupOf, group, scales[row], zeros[row]);
      }
      for (int k = 0; k < columns; k++) {
        final int group = groupOf[k];
        stored[row][k] =
            Math.round(values[row * columns + k] / scales[row][group]) + zeros[row][group];
      }
    }
    write(file, module, stored, zeros, scales, groupOf);
  }

  private void choose(
      float[] values, int row, int columns, int[] groupOf, int group, float[] scales, int[] zeros) {
    float least = 0;
    float most = 0;
    for (int k = 0; k < columns; k++) {
      if (groupOf[k] == group) {
        least = Math.min(least, values[row * columns + k]);
        most = Math.max(most, values[row * columns + k]);
      }
    }
    final int levels = 1 << bits;
    final float width = symmetric ? 2 * Math.max(most, -least) : most - least;
    scales[group] =
        Float.float16ToFloat(Float.floatToFloat16(Math.max(width, 1e-3f) / (levels - 3)));
    zeros[group] = symmetric ? levels / 2 : 1 + Math.round(-least / scales[group]);
  }

  private void write(
      SafetensorsBytes file,
      String module,
      int[][] stored,
      int[][] zeros,
      float[][] scales,
      int[] groupOf) {
    final int rows = stored.length;
    final int columns = groupOf.length;
    final int groups = scales[0].length;
    switch (kind) {
      case AWQ -> {
        add(file, module + "qweight", alongRows(transposed(stored), AWQ_ORDER));
        add(file, module + "qzeros", alongRows(transposed(zeros), AWQ_ORDER));
        addScales(file, module + "scales", transposed(scales));
      }
      case GPTQ, GPTQ_V2 -> {
        add(file, module + "qweight", transposed(alongRows(stored, null)));
        final int[][] kept = new int[rows][groups];
        for (int row = 0; row < rows; row++) {
          for (int group = 0; group < groups; group++) {
            kept[row][group] = zeros[row][group] - (kind == Kind.GPTQ ? 1 : 0);
          }
        }
        add(file, module + "qzeros", alongRows(transposed(kept), null));
        addScales(file, module + "scales", transposed(scales));
        file.addInts(module + "g_idx", List.of(columns), groupOf);
      }
      case TENSORS -> {
        add(file, module + "weight_packed", alongRows(stored, null));
        if (!symmetric) {
          add(file, module + "weight_zero_point", transposed(alongRows(transposed(zeros), null)));
        }
        addScales(file, module + "weight_scale", scales);
        file.addInts(module + "weight_shape", List.of(2), rows, columns);
        if (reordered) {
          file.addInts(module + "weight_g_idx", List.of(columns), groupOf);
        }
      }
    }
  }

  /** Packs adjacent integers of a row; the last word may not be full. */
  private int[][] alongRows(int[][] table, int[] order) {
    final int inWord = 32 / bits;
    final int[][] words = new int[table.length][Math.ceilDiv(table[0].length, inWord)];
    for (int row = 0; row < table.length; row++) {
      for (int word = 0; word < words[row].length; word++) {
        for (int place = 0; place < inWord; place++) {
          final int column = word * inWord + (order == null ? place : order[place]);
          if (column < table[row].length) {
            words[row][word] |= table[row][column] << bits * place;
          }
        }
      }
    }
    return words;
  }

  private static int[][] transposed(int[][] table) {
    final int[][] result = new int[table[0].length][table.length];
    for (int i = 0; i < table.length; i++) {
      for (int j = 0; j < table[0].length; j++) {
        result[j][i] = table[i][j];
      }
    }
    return result;
  }

  private static float[][] transposed(float[][] table) {
    final float[][] result = new float[table[0].length][table.length];
    for (int i = 0; i < table.length; i++) {
      for (int j = 0; j < table[0].length; j++) {
        result[j][i] = table[i][j];
      }
    }
    return result;
  }

  private static void add(SafetensorsBytes file, String name, int[][] table) {
    final List<Integer> values = new ArrayList<>();
    for (int[] row : table) {
      for (int value : row) {
        values.add(value);
      }
    }
    file.addInts(
        name,
        List.of(table.length, table[0].length),
        values.stream().mapToInt(Integer::intValue).toArray());
  }

  private static void addScales(SafetensorsBytes file, String name, float[][] table) {
    final float[] values = new float[table.length * table[0].length];
    for (int i = 0; i < values.length; i++) {
      values[i] = table[i / table[0].length][i % table[0].length];
    }
    file.addFloats(name, WeightType.F16, List.of(table.length, table[0].length), values);
  }
}
