package dev.headway.cuda.executor;

import dev.headway.executor.model.InputQuantization;
import dev.headway.executor.model.QuantizedMatrix;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Matrices of e4m3 codes whose rows follow each other on the device, and their scales: one for each
 * {@code 2^rowShift} rows and {@code columns} columns. Matrices with scales of their own begin
 * where a scale does.
 */
record CodeLayout(List<QuantizedMatrix> parts, int rowShift, int columns) {
  private static final int LARGEST_SHIFT = 30;

  /**
   * The layout of some matrices.
   *
   * @return null if they cannot be kept as codes: one has others, or they are scaled by different
   *     groups of columns
   */
  static @Nullable CodeLayout of(List<QuantizedMatrix> parts) {
    int shift = LARGEST_SHIFT;
    long row = 0;
    final int columns = columnsPerScale(parts.getFirst());
    for (QuantizedMatrix part : parts) {
      if (part.code() != QuantizedMatrix.Code.E4M3
          || part.hasOffsets()
          || columns == 0
          || columnsPerScale(part) != columns) {
        return null;
      }
      shift = Math.min(shift, Integer.numberOfTrailingZeros(part.rowsPerScale()));
      shift = Math.min(shift, Long.numberOfTrailingZeros(row));
      row += part.rows();
    }
    return new CodeLayout(List.copyOf(parts), shift, columns);
  }

  /**
   * The layout of products with rounded inputs: scales of whole rows are one for each row, as
   * libraries take them, or one for all where that is so and inputs have one scale, too.
   */
  CodeLayout forInputs(InputQuantization how) {
    if (across() > 1) {
      return this;
    }
    final boolean isOne = how instanceof InputQuantization.Static && isOneScale();
    return new CodeLayout(parts, isOne ? LARGEST_SHIFT : 0, columns);
  }

  private boolean isOneScale() {
    final float[] all = scales();
    for (float scale : all) {
      if (scale != all[0]) {
        return false;
      }
    }
    return true;
  }

  /** Adjacent columns of a scale; 0 if scales are not those of equal numbers of them. */
  private static int columnsPerScale(QuantizedMatrix matrix) {
    int columns = 1;
    while (columns < matrix.columns() && matrix.group(columns) == 0) {
      columns++;
    }
    for (int column = 0; column < matrix.columns(); column++) {
      if (matrix.group(column) != column / columns) {
        return 0;
      }
    }
    return columns;
  }

  /** How many scales there are. */
  int scaleCount() {
    final long rows = parts.stream().mapToLong(QuantizedMatrix::rows).sum();
    return Math.toIntExact((((rows - 1) >> rowShift) + 1) * across());
  }

  private int across() {
    return (parts.getFirst().columns() - 1) / columns + 1;
  }

  /** The scales, by rows. */
  float[] scales() {
    final float[] scales = new float[scaleCount()];
    int at = 0;
    for (QuantizedMatrix part : parts) {
      for (int row = 0; row < part.rows() && at < scales.length; row += 1 << rowShift) {
        for (int group = 0; group < across(); group++) {
          scales[at++] = part.scale(row, group);
        }
      }
    }
    return scales;
  }
}
