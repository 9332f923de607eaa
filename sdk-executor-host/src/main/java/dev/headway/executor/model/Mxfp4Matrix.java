package dev.headway.executor.model;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import java.util.Optional;

/**
 * A matrix of four-bit floats (e2m1) in blocks of 32 inputs that share a power of two: rows of a
 * larger one, at equal distances. Twice such a float is a small integer, so that a weight is {@code
 * integer * 2^(stored scale - 128)}, exactly.
 *
 * <p>Source: OCP Microscaling Formats (MX) 1.0, sections 5.3.3 and 5.4.1. Two codes to a byte, the
 * lower half first: {@code convert_moe_packed_tensors} of {@code integrations/mxfp4.py} in
 * transformers.
 *
 * @param blocks codes of the larger matrix
 * @param scales its scales, a byte each; 255 is no number, and the block's weights are none then
 * @param firstRow the row there that is row 0 here
 * @param rowDistance from a row to the next
 * @param rows outputs
 * @param columns inputs, a multiple of 32
 */
record Mxfp4Matrix(
    MemorySegment blocks,
    MemorySegment scales,
    long firstRow,
    int rowDistance,
    int rows,
    int columns)
    implements QuantizedMatrix, Mxfp4Codes {

  private static final int NOT_A_NUMBER = 255;
  private static final int BIAS = 128; // 127, and one for the doubled codes

  /** Twice the value of each code; the upper eight are negative. */
  private static final byte[] TWICE = {
    0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12,
  };

  @Override
  public Code code() {
    return Code.INT8;
  }

  @Override
  public int bits() {
    return 4;
  }

  @Override
  public int groups() {
    return columns / BLOCK;
  }

  @Override
  public int group(int column) {
    return column / BLOCK;
  }

  @Override
  public float scale(int row, int group) {
    final long at = (firstRow + (long) row * rowDistance) * groups() + group;
    final int stored = Byte.toUnsignedInt(scales.get(ValueLayout.JAVA_BYTE, at));
    return stored == NOT_A_NUMBER ? Float.NaN : Math.scalb(1f, stored - BIAS);
  }

  @Override
  public Optional<Mxfp4Codes> mxfp4() {
    return Optional.of(this);
  }

  @Override
  public void readCodes(int row, byte[] target) {
    copy(blocks, row, columns / 2, target);
  }

  @Override
  public void readScales(int row, byte[] target) {
    copy(scales, row, groups(), target);
  }

  /** A row's bytes of those of the larger matrix. */
  private void copy(MemorySegment all, int row, int bytes, byte[] target) {
    final long at = firstRow + (long) Objects.checkIndex(row, rows) * rowDistance;
    MemorySegment.copy(all, ValueLayout.JAVA_BYTE, at * bytes, target, 0, bytes);
  }

  @Override
  public void readCodes(long from, MemorySegment target, long length) {
    Objects.checkFromIndexSize(from, length, (long) rows * columns);
    for (long done = 0; done < length; done++) {
      final long row = (from + done) / columns;
      final long nibble = (firstRow + row * rowDistance) * columns + (from + done) % columns;
      final byte two = blocks.get(ValueLayout.JAVA_BYTE, nibble / 2);
      final int code = (nibble % 2 == 0 ? two : two >> 4) & 0xF;
      target.set(ValueLayout.JAVA_BYTE, done, TWICE[code]);
    }
  }
}
