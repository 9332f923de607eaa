package dev.headway.executor.model;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A tensor of a GGUF file.
 *
 * @param turnedHead elements of a head whose rows lie in pairs, as {@code permute} of llama.cpp's
 *     converter has put them: row {@code s * turnedHead / 2 + i} of a head at {@code 2 * i + s}; 0
 *     if rows lie as they are
 */
record GgufTensor(TensorSpec spec, GgmlType blocks, MemorySegment file, int turnedHead)
    implements StoredTensor, QuantizedMatrix {

  /** Of rows of one block each, so that there is one for tensors of one dimension. */
  private static final int CHUNK = 256;

  @Override
  public WeightType type() {
    final WeightType plain = blocks.plain();
    return plain == null ? WeightType.F32 : plain;
  }

  @Override
  public @Nullable MemorySegment bytes() {
    return blocks.plain() == null || turnedHead != 0 ? null : file;
  }

  @Override
  public @Nullable QuantizedMatrix quantized() {
    return blocks.plain() == null && spec.shape().size() == 2 ? this : null;
  }

  @Override
  public void read(long from, float[] target, int offset, int length) {
    int done = 0;
    while (done < length) {
      final int row = (int) ((from + done) / columns());
      final int column = (int) ((from + done) % columns());
      final int count = Math.min(Math.min(length - done, columns() - column), CHUNK);
      readOfRow(row, column, target, offset + done, count);
      done += count;
    }
  }

  private void readOfRow(int row, int column, float[] target, int to, int count) {
    final WeightType plain = blocks.plain();
    if (plain != null) {
      plain.read(file, (long) fileRow(row) * columns() + column, target, to, count);
      return;
    }
    final long at = rowAt(row);
    for (int i = 0; i < count; i++) {
      final int element = column + i;
      final long block = at + (long) element / blocks.elements() * blocks.bytes();
      final int inBlock = element % blocks.elements();
      final int group = inBlock / blocks.groupElements();
      target[to + i] =
          blocks.code(file, block, inBlock) * blocks.scale(file, block, group)
              - blocks.offset(file, block, group);
    }
  }

  private int fileRow(int row) {
    if (turnedHead == 0) {
      return row;
    }
    final int inHead = row % turnedHead;
    return row - inHead + inHead % (turnedHead / 2) * 2 + inHead / (turnedHead / 2);
  }

  private long rowAt(int row) {
    return (long) fileRow(row) * (columns() / blocks.elements()) * blocks.bytes();
  }

  @Override
  public Code code() {
    return Code.INT8;
  }

  @Override
  public int bits() {
    return 8 * blocks.bytes() / blocks.elements();
  }

  @Override
  public int rows() {
    return spec.shape().size() == 1 ? 1 : spec.shape().getFirst();
  }

  @Override
  public int columns() {
    return spec.shape().getLast();
  }

  @Override
  public int groups() {
    return columns() / blocks.groupElements();
  }

  @Override
  public int group(int column) {
    return column / blocks.groupElements();
  }

  @Override
  public float scale(int row, int group) {
    return blocks.scale(file, blockAt(row, group), inBlock(group));
  }

  @Override
  public boolean hasOffsets() {
    return blocks.hasOffsets();
  }

  @Override
  public float offset(int row, int group) {
    return blocks.offset(file, blockAt(row, group), inBlock(group));
  }

  private long blockAt(int row, int group) {
    final int groupsOfBlock = blocks.elements() / blocks.groupElements();
    return rowAt(row) + (long) group / groupsOfBlock * blocks.bytes();
  }

  private int inBlock(int group) {
    return group % (blocks.elements() / blocks.groupElements());
  }

  @Override
  public void readCodes(long from, MemorySegment target, long length) {
    Objects.checkFromIndexSize(from, length, spec.elements());
    for (long i = 0; i < length; i++) {
      final long at = rowAt((int) ((from + i) / columns()));
      final int column = (int) ((from + i) % columns());
      target.set(
          ValueLayout.JAVA_BYTE,
          i,
          blocks.code(
              file,
              at + (long) column / blocks.elements() * blocks.bytes(),
              column % blocks.elements()));
    }
  }
}
