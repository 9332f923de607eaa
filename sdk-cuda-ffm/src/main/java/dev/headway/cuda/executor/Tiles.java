package dev.headway.cuda.executor;

import dev.headway.cuda.kernel.AttentionKernels;

/** Runs of rows of one sequence, cut for the attention of prompts. */
final class Tiles {
  private Tiles() {}

  /** Tiles of a run of {@code rows} rows. */
  static int of(int rows) {
    return (rows - 1) / AttentionKernels.TILE_ROWS + 1;
  }

  /** Writes the tiles of a run in a row of the block tables; returns where the next goes. */
  static int write(int[] target, int at, int firstRow, int rows, int table) {
    int to = at;
    for (int done = 0; done < rows; done += AttentionKernels.TILE_ROWS) {
      target[to++] = firstRow + done;
      target[to++] = Math.min(AttentionKernels.TILE_ROWS, rows - done);
      target[to++] = table;
    }
    return to;
  }
}
