package dev.headway.cuda.kernel;

import dev.headway.cuda.device.Mxfp4Weights;
import dev.headway.cuda.device.WeightMatrix;
import java.lang.foreign.MemorySegment;

/**
 * Weights in MXFP4, the matrices of some experts one after the other, and what they are.
 *
 * @param rows of each expert
 * @param columns a multiple of 32
 * @param codes {@code [experts * rows][columns]}, one to a byte
 * @param scales {@code [experts * rows][columns / 32]}
 */
record Mxfp4(int experts, int rows, int columns, byte[] codes, byte[] scales) {
  private static final double[] SIZES = {0, 0.5, 1, 1.5, 2, 3, 4, 6};

  /** All codes; scales from 2^(least - 127) on, no two of neighbours alike. */
  static Mxfp4 random(
      KernelFixture given, int experts, int rows, int columns, int least, int count) {
    final byte[] codes = new byte[experts * rows * columns];
    for (int i = 0; i < codes.length; i++) {
      codes[i] = (byte) given.random.nextInt(16);
    }
    final byte[] scales = new byte[codes.length / 32];
    for (int i = 0; i < scales.length; i++) {
      scales[i] = (byte) (least + given.random.nextInt(count));
    }
    return new Mxfp4(experts, rows, columns, codes, scales);
  }

  /** A weight by the definition; rows are counted over all experts. */
  double weight(int row, int column) {
    final int code = codes[row * columns + column];
    final int scale = Byte.toUnsignedInt(scales[(row * columns + column) / 32]);
    return (code < 8 ? SIZES[code] : -SIZES[code - 8]) * Math.pow(2, scale - 127);
  }

  /** On the device as the kernels of MXFP4 read it. */
  Mxfp4Weights upload(KernelFixture given, long bias) {
    final long bytes = Mxfp4Layout.bytes(rows, columns);
    final byte[] placed = new byte[Math.toIntExact(experts * bytes)];
    final byte[][] codesOfBand = new byte[Mxfp4Layout.ROWS][columns / 2];
    final byte[][] scalesOfBand = new byte[Mxfp4Layout.ROWS][columns / 32];
    long at = 0;
    for (int expert = 0; expert < experts; expert++) {
      for (int band = 0; band < rows; band += Mxfp4Layout.ROWS) {
        for (int row = 0; row < Mxfp4Layout.ROWS; row++) {
          final boolean isThere = band + row < rows;
          final int from = (expert * rows + band + row) * columns;
          for (int i = 0; i < columns / 2; i++) {
            final int two = isThere ? codes[from + 2 * i] | codes[from + 2 * i + 1] << 4 : 0;
            codesOfBand[row][i] = (byte) two;
          }
          for (int i = 0; i < columns / 32; i++) {
            scalesOfBand[row][i] = isThere ? scales[from / 32 + i] : 0;
          }
        }
        Mxfp4Layout.write(codesOfBand, scalesOfBand, columns, MemorySegment.ofArray(placed), at);
        at += Mxfp4Layout.bandBytes(columns);
      }
    }
    return new Mxfp4Weights(given.upload(placed), bias, rows, columns);
  }

  /** The same weights in bf16, which holds them exactly. */
  WeightMatrix widened(KernelFixture given, long bias) {
    final short[] weights = new short[codes.length];
    for (int i = 0; i < weights.length; i++) {
      weights[i] = Bf16.of(weight(i / columns, i % columns));
    }
    return new WeightMatrix(given.upload(weights), bias, rows, columns);
  }
}
