package dev.headway.cuda.kernel;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Where codes and scales of MXFP4 lie on the device: in records of 16 rows and 64 columns, in the
 * order in which lanes multiply them; the table is at the head of {@code mxfp4.cuh}. Records of the
 * same rows follow each other, a band. A matrix of another size is filled up with zeros.
 */
public final class Mxfp4Layout {
  /** Rows of a record. */
  public static final int ROWS = 16;

  private static final int COLUMNS = 64;
  private static final int BLOCK = 32;
  private static final int CODE_BYTES = ROWS * COLUMNS / 2;
  private static final int RECORD_BYTES = CODE_BYTES + ROWS * COLUMNS / BLOCK;
  private static final int COLUMNS_OF_MMA = 16;

  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  /** What a byte of two codes is in a word, as its first, second, third and fourth pair. */
  private static final int[] FIRST = placed(0);

  private static final int[] SECOND = placed(1);
  private static final int[] THIRD = placed(2);
  private static final int[] FOURTH = placed(3);

  private Mxfp4Layout() {}

  private static int[] placed(int pair) {
    final int[] placed = new int[256];
    for (int two = 0; two < placed.length; two++) {
      placed[two] = half(pair, two & 0xF) | half(pair, two >> 4) << 16;
    }
    return placed;
  }

  /** The bits of a code in its half of a word. */
  private static int half(int pair, int code) {
    final int sign = code >> 3;
    final int size = code & 7;
    return switch (pair) {
      case 0 -> sign << 15 | size << 6;
      case 1 -> sign << 12 | size << 3;
      case 2 -> sign << 9 | size;
      default -> sign << 11 | (size & 1) << 10 | size >> 1 << 13;
    };
  }

  /** Bytes of a matrix. */
  public static long bytes(int outputs, int inputs) {
    return Shapes.ceilDiv(outputs, ROWS) * bandBytes(inputs);
  }

  /** Bytes of {@value #ROWS} rows. */
  public static long bandBytes(int inputs) {
    return (long) Shapes.ceilDiv(inputs, COLUMNS) * RECORD_BYTES;
  }

  /**
   * Writes {@value #ROWS} rows as their band.
   *
   * @param codes of each row, two to a byte, the lower column in the lower half
   * @param scales of each row, a byte for 32 columns
   * @param inputs a multiple of 32; arrays may be longer
   * @param at where the band begins in {@code target}
   */
  public static void write(
      byte[][] codes, byte[][] scales, int inputs, MemorySegment target, long at) {
    for (int column = 0; column < inputs; column += COLUMNS) {
      final long record = at + (long) (column / COLUMNS) * RECORD_BYTES;
      for (int row = 0; row < ROWS / 2; row++) {
        writeCodes(codes[row], codes[row + ROWS / 2], column, inputs, target, record + 64L * row);
        final long to = record + CODE_BYTES + 4L * row;
        writeScales(scales[row], column, inputs, target, to);
        writeScales(scales[row + ROWS / 2], column, inputs, target, to + 2);
      }
    }
  }

  /** What the four lanes of two rows have of a record. */
  private static void writeCodes(
      byte[] upper, byte[] lower, int column, int inputs, MemorySegment target, long at) {
    final boolean isWhole = column + BLOCK < inputs;
    for (int lane = 0; lane < 4; lane++) {
      final int from = column / 2 + lane;
      target.set(LONG, at + 16L * lane, words(upper, lower, from));
      target.set(LONG, at + 16L * lane + 8, isWhole ? words(upper, lower, from + BLOCK / 2) : 0);
    }
  }

  private static void writeScales(
      byte[] scales, int column, int inputs, MemorySegment target, long at) {
    final int block = column / BLOCK;
    target.set(ValueLayout.JAVA_BYTE, at, scales[block]);
    target.set(ValueLayout.JAVA_BYTE, at + 1, column + BLOCK < inputs ? scales[block + 1] : 0);
  }

  /** What a lane has of two rows for two mma. */
  private static long words(byte[] upper, byte[] lower, int from) {
    return (word(upper, lower, from) & 0xFFFF_FFFFL)
        | (long) word(upper, lower, from + COLUMNS_OF_MMA / 2) << 32;
  }

  /** And for one. */
  private static int word(byte[] upper, byte[] lower, int from) {
    return FIRST[upper[from] & 0xFF]
        | SECOND[lower[from] & 0xFF]
        | THIRD[upper[from + 4] & 0xFF]
        | FOURTH[lower[from + 4] & 0xFF];
  }
}
