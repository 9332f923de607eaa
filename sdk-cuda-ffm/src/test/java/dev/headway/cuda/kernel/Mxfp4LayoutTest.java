package dev.headway.cuda.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The places of codes and scales, as the table at the head of {@code mxfp4.cuh} has them. */
class Mxfp4LayoutTest {
  private static final int SEED = 11;

  /** Bits of sign, upper bit, middle and lowest bit of each pair's code, in a half of a word. */
  private static final int[][] BITS = {
    {15, 8, 7, 6}, {12, 5, 4, 3}, {9, 2, 1, 0}, {11, 14, 13, 10}
  };

  @Test
  void shouldPutEachCodeWhereItsLaneLooksForIt() {
    final Random random = new Random(SEED);
    final int columns = 96; // half of the second record is not there
    final byte[][] codes = new byte[Mxfp4Layout.ROWS][columns / 2];
    final byte[][] scales = new byte[Mxfp4Layout.ROWS][columns / 32];
    for (int row = 0; row < Mxfp4Layout.ROWS; row++) {
      random.nextBytes(codes[row]);
      random.nextBytes(scales[row]);
    }
    final byte[] target = new byte[7 + 2 * 544];

    Mxfp4Layout.write(codes, scales, columns, MemorySegment.ofArray(target), 7);

    for (int row = 0; row < Mxfp4Layout.ROWS; row++) {
      for (int column = 0; column < 128; column++) {
        final int record = 7 + column / 64 * 544;
        final int lane = row % 8 * 4 + column % 8 / 2;
        final int word = record + 16 * lane + column % 64 / 16 * 4;
        final int pair = row / 8 + column % 16 / 8 * 2;
        final int half = word + column % 2 * 2;
        final int stored = target[half] & 0xFF | (target[half + 1] & 0xFF) << 8;
        int code = 0;
        for (int bit : BITS[pair]) {
          code = code << 1 | stored >> bit & 1;
        }
        final int scale = target[record + 512 + row % 8 * 4 + row / 8 * 2 + column % 64 / 32];
        final boolean isThere = column < columns;
        assertThat(code)
            .as("row=%d, column=%d, seed=%d", row, column, SEED)
            .isEqualTo(isThere ? codes[row][column / 2] >> column % 2 * 4 & 0xF : 0);
        assertThat(scale)
            .as("row=%d, column=%d, seed=%d", row, column, SEED)
            .isEqualTo(isThere ? scales[row][column / 32] : 0);
      }
    }
  }

  /** 24 layers of 32 experts of 2,880 x 8,640 weights, as simulations count them. */
  @Test
  void shouldTakeAsManyBytesAsASimulatedGptOss20B() {
    final long expert = Mxfp4Layout.bytes(2 * 2_880, 2_880) + Mxfp4Layout.bytes(2_880, 2_880);

    assertThat(24 * 32 * expert).isEqualTo(10_152_345_600L);
  }
}
