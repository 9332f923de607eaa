package dev.headway.cuda.kernel;

/**
 * How a row of logits is cut into parts, a block each. One row is spread over many multiprocessors;
 * of many rows each gets fewer parts, so that what a block costs beside its logits stays small.
 */
final class SampleSlices {
  /** Most parts of a row: {@code MAX_PARTS} and {@code LOG_PARTS} of the kernels. */
  static final int MAX_PARTS = 64;

  /** Masses of that many tokens can be added in halves of 16 bits. */
  static final int MAX_SLICE = 32_768;

  /** Longest row. */
  static final int MAX_VOCABULARY = MAX_PARTS * MAX_SLICE;

  /** One load of 16 bytes per thread. */
  private static final int MIN_SLICE = 2048;

  /** Two of 512 threads at once on each of an H200's 132 multiprocessors, four times over. */
  private static final int BLOCKS = 1056;

  private SampleSlices() {}

  /** Logits of a part, a multiple of 4. */
  static int of(int rows, int vocabulary) {
    final int most = Math.min(MAX_PARTS, Shapes.ceilDiv(vocabulary, MIN_SLICE));
    final int least = Shapes.ceilDiv(vocabulary, MAX_SLICE);
    final int parts = Math.max(least, Math.min(most, BLOCKS / rows));
    return Shapes.ceilDiv(Shapes.ceilDiv(vocabulary, parts), 4) * 4;
  }
}
