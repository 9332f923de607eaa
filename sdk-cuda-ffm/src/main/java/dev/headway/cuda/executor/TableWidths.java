package dev.headway.cuda.executor;

/**
 * The widths that block tables are sent in: 16, 64, 256, ... blocks, at most those of the longest
 * context. Narrow ones save the upload of what no request of the step has; few of them keep the
 * number of recordings small.
 */
final class TableWidths {
  private static final int NARROWEST = 16;
  private static final int FACTOR = 4;

  private TableWidths() {}

  /** The narrowest width for tables of {@code blocks} blocks. */
  static int holding(int blocks, int maxBlocks) {
    long width = NARROWEST;
    while (width < blocks) {
      width *= FACTOR;
    }
    return (int) Math.min(width, maxBlocks);
  }

  /** The place of a width among all, from 0. */
  static int index(int width) {
    int index = 0;
    for (long narrower = NARROWEST; narrower < width; narrower *= FACTOR) {
      index++;
    }
    return index;
  }
}
