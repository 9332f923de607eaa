package dev.headway.cuda.kernel;

/**
 * Where on the device a step says which row belongs to which sequence; made once, filled per step.
 *
 * @param sequence {@code int[rows]}: row of the block table
 * @param position {@code int[rows]}: index of the row's token in its sequence; -1 = padding
 * @param blockTable {@code int[sequences][maxBlocks]}: block numbers
 * @param maxBlocks from one row of the block table to the next
 * @param window keys that a row sees, its own included; 0 for all up to its own
 */
public record AttentionBatch(
    long sequence, long position, long blockTable, int maxBlocks, int window) {

  /** More than any context has, and far from an overflow. */
  private static final int WHOLE_CONTEXT = 1 << 30;

  /** Rows that see the whole context. */
  public AttentionBatch(long sequence, long position, long blockTable, int maxBlocks) {
    this(sequence, position, blockTable, maxBlocks, 0);
  }

  /** The window as the kernels take it. */
  int keys() {
    return window == 0 ? WHOLE_CONTEXT : window;
  }

  /** The first key that the row at a position sees. */
  public static int firstKey(int position, int window) {
    return window == 0 ? 0 : Math.max(0, position + 1 - window);
  }
}
