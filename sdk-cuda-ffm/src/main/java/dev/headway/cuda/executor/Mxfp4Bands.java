package dev.headway.cuda.executor;

import dev.headway.cuda.kernel.Mxfp4Layout;
import dev.headway.executor.model.Mxfp4Codes;
import java.lang.foreign.MemorySegment;

/**
 * A matrix in MXFP4 on its way from a file to the device: rows are read and written in the order of
 * {@link Mxfp4Layout}, a band at a time. One thread.
 */
final class Mxfp4Bands {
  /** Scales from here on make weights that bfloat16 does not hold: 6 * 2^126, and no number. */
  private static final int FIRST_TOO_LARGE = 253;

  private final String tensor;
  private final Mxfp4Codes matrix;
  private final byte[][] codes;
  private final byte[][] scales;

  /**
   * Takes a matrix.
   *
   * @param tensor its name in messages
   */
  Mxfp4Bands(String tensor, Mxfp4Codes matrix) {
    this.tensor = tensor;
    this.matrix = matrix;
    codes = new byte[Mxfp4Layout.ROWS][matrix.columns() / 2];
    scales = new byte[Mxfp4Layout.ROWS][matrix.columns() / Mxfp4Codes.BLOCK];
  }

  /** Bytes of a band. */
  long bandBytes() {
    return Mxfp4Layout.bandBytes(matrix.columns());
  }

  /** Bytes of all of them. */
  long bytes() {
    return Mxfp4Layout.bytes(matrix.rows(), matrix.columns());
  }

  /**
   * Writes bands from place {@code from} on to the begin of a chunk; both are multiples of {@link
   * #bandBytes}.
   *
   * @throws IllegalArgumentException if a scale is too large, or no number
   */
  void write(MemorySegment chunk, long from, long bytes) {
    for (long at = 0; at < bytes; at += bandBytes()) {
      final int first = Math.toIntExact((from + at) / bandBytes() * Mxfp4Layout.ROWS);
      for (int row = 0; row < Mxfp4Layout.ROWS; row++) {
        matrix.readCodes(first + row, codes[row]);
        matrix.readScales(first + row, scales[row]);
        requireFit(first + row, scales[row]);
      }
      Mxfp4Layout.write(codes, scales, matrix.columns(), chunk, at);
    }
  }

  private void requireFit(int row, byte[] scalesOfRow) {
    for (int block = 0; block < scalesOfRow.length; block++) {
      final int scale = Byte.toUnsignedInt(scalesOfRow[block]);
      if (scale >= FIRST_TOO_LARGE) {
        throw new IllegalArgumentException(
            "scales must be below "
                + FIRST_TOO_LARGE
                + ", so that bfloat16 holds each weight: tensor='"
                + tensor
                + "', row="
                + row
                + ", column="
                + block * Mxfp4Codes.BLOCK
                + ", scale="
                + scale);
      }
    }
  }
}
