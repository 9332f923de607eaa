package dev.headway.executor.model;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.math.BigInteger;
import java.util.Objects;
import java.util.Optional;

/**
 * The rows of a quantised matrix that are one tensor of the model: all of them, unless files hold
 * several tensors as one matrix.
 *
 * @param whole the matrix as the file holds it
 * @param firstRow the row of {@code whole} that is row 0 of {@code spec}
 */
record QuantizedTensor(TensorSpec spec, QuantizedMatrix whole, int firstRow)
    implements StoredTensor, QuantizedMatrix {

  /** Read at once. */
  private static final int MOST_CODES = 1 << 12;

  /** Products of codes and scales have more bits than the types of two bytes. */
  @Override
  public WeightType type() {
    return WeightType.F32;
  }

  @Override
  public void read(long from, float[] target, int offset, int length) {
    final byte[] codes = new byte[Math.min(length, MOST_CODES)];
    final MemorySegment segment = MemorySegment.ofArray(codes);
    int done = 0;
    while (done < length) {
      final int row = (int) ((from + done) / columns());
      final int column = (int) ((from + done) % columns());
      final int count = Math.min(Math.min(length - done, codes.length), columns() - column);
      readCodes(from + done, segment, count);
      widen(codes, row, column, count, target, offset + done);
      done += count;
    }
  }

  private void widen(byte[] codes, int row, int column, int count, float[] target, int to) {
    int group = group(column);
    float scale = scale(row, group);
    for (int i = 0; i < count; i++) {
      if (group(column + i) != group) {
        group = group(column + i);
        scale = scale(row, group);
      }
      target[to + i] = code().value(codes[i]) * scale;
    }
  }

  @Override
  public QuantizedMatrix quantized() {
    return this;
  }

  @Override
  public Code code() {
    return whole.code();
  }

  @Override
  public int bits() {
    return whole.bits();
  }

  @Override
  public int rows() {
    return spec.shape().getFirst();
  }

  @Override
  public int columns() {
    return whole.columns();
  }

  @Override
  public int groups() {
    return whole.groups();
  }

  @Override
  public int group(int column) {
    return whole.group(column);
  }

  @Override
  public float scale(int row, int group) {
    return whole.scale(firstRow + row, group);
  }

  @Override
  public int rowsPerScale() {
    return BigInteger.valueOf(firstRow).gcd(BigInteger.valueOf(whole.rowsPerScale())).intValue();
  }

  @Override
  public InputQuantization inputs() {
    return whole.inputs();
  }

  /** Of experts only, whose tensors are matrices of their own. */
  @Override
  public Optional<Mxfp4Codes> mxfp4() {
    return firstRow == 0 && rows() == whole.rows() ? whole.mxfp4() : Optional.empty();
  }

  @Override
  public void readCodes(long from, MemorySegment target, long length) {
    Objects.checkFromIndexSize(from, length, spec.elements());
    whole.readCodes(from + (long) firstRow * columns(), target, length);
  }

  /** A matrix of eight-bit floats in a mapped file. */
  record OfE4m3(MemorySegment bytes, ScaleGrid scales, InputQuantization inputs)
      implements QuantizedMatrix {

    @Override
    public Code code() {
      return Code.E4M3;
    }

    @Override
    public int bits() {
      return 8;
    }

    @Override
    public int rows() {
      return scales.rows();
    }

    @Override
    public int columns() {
      return scales.columns();
    }

    @Override
    public int groups() {
      return scales.across();
    }

    @Override
    public int group(int column) {
      return column / scales.columnsPerScale();
    }

    @Override
    public float scale(int row, int group) {
      return scales.at(row, group);
    }

    @Override
    public int rowsPerScale() {
      return scales.rowsPerScale();
    }

    @Override
    public void readCodes(long from, MemorySegment target, long length) {
      MemorySegment.copy(
          bytes, ValueLayout.JAVA_BYTE, from, target, ValueLayout.JAVA_BYTE, 0, length);
    }
  }
}
