package dev.headway.executor.model;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * A table of unsigned integers of {@code bits} bits, {@code 32 / bits} in each 32-bit word,
 * little-endian.
 *
 * @param order which integers are in a word
 * @param wordsPerLine words from one line of words to the next
 */
record PackedInts(MemorySegment words, int bits, Order order, int wordsPerLine) {

  static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  /** Where element 0 to 7 of a word is: AutoAWQ's {@code AWQ_REVERSE_ORDER}. */
  private static final int[] AWQ = {0, 4, 1, 5, 2, 6, 3, 7};

  /** Which integers are in a word. */
  enum Order {
    /** Adjacent ones of a row, the first in the lowest bits. */
    OF_A_ROW,
    /** Eight adjacent ones of a row: the even ones in the lower half, the odd ones in the upper. */
    OF_A_ROW_BY_AWQ,
    /** Those of adjacent rows in one column, the first in the lowest bits. */
    OF_A_COLUMN
  }

  /** An element. */
  int at(int row, int column) {
    final int inWord = 32 / bits;
    final boolean across = order != Order.OF_A_COLUMN;
    final long line = across ? row : row / inWord;
    final int word = across ? column / inWord : column;
    final int place = (across ? column : row) % inWord;
    final int shift = bits * (order == Order.OF_A_ROW_BY_AWQ ? AWQ[place] : place);
    return words.get(INT, 4 * (line * wordsPerLine + word)) >>> shift & ((1 << bits) - 1);
  }
}
