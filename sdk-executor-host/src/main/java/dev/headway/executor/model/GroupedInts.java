package dev.headway.executor.model;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A matrix of packed integers in a mapped file, with a scale and a zero point for each group of a
 * row's columns: {@code weight = (stored - zero) * scale}.
 *
 * @param inputsFirst whether the tables are [inputs, outputs], groups in place of inputs; otherwise
 *     [outputs, inputs]
 * @param values stored integers
 * @param zeros zero points; null if all are {@code zero}
 * @param zero added to zero points
 * @param groupSize columns of a group that are adjacent
 * @param groupOfColumn the group of each column; null if they are adjacent
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record GroupedInts(
    int rows,
    int columns,
    boolean inputsFirst,
    PackedInts values,
    @Nullable PackedInts zeros,
    int zero,
    MatrixFile.Scales scales,
    int groupSize,
    int @Nullable [] groupOfColumn)
    implements QuantizedMatrix {

  @Override
  public Code code() {
    return Code.INT8;
  }

  @Override
  public int bits() {
    return values.bits();
  }

  @Override
  public int groups() {
    return Math.ceilDiv(columns, groupSize);
  }

  @Override
  public int group(int column) {
    return groupOfColumn == null ? column / groupSize : groupOfColumn[column];
  }

  @Override
  public float scale(int row, int group) {
    return scales.at(inputsFirst ? (long) group * rows + row : (long) row * groups() + group);
  }

  /** The zero point of a group of a row. */
  int zero(int row, int group) {
    return zeros == null
        ? zero
        : zero + (inputsFirst ? zeros.at(group, row) : zeros.at(row, group));
  }

  @Override
  public void readCodes(long from, MemorySegment target, long length) {
    Objects.checkFromIndexSize(from, length, (long) rows * columns);
    int row = -1;
    int group = -1;
    int subtracted = 0;
    for (long i = 0; i < length; i++) {
      final int column = (int) ((from + i) % columns);
      final int itsRow = (int) ((from + i) / columns);
      if (itsRow != row || group(column) != group) {
        row = itsRow;
        group = group(column);
        subtracted = zero(row, group);
      }
      final int stored = inputsFirst ? values.at(column, row) : values.at(row, column);
      target.set(ValueLayout.JAVA_BYTE, i, (byte) (stored - subtracted));
    }
  }
}
