package dev.headway.cuda.executor;

/**
 * How many rows of what kind a step has, and where its arrays lie in the block that is uploaded.
 * Offsets are in {@code int}s from the block's begin. Equal counts give equal offsets, which is
 * what lets a recorded graph be replayed.
 */
final class BatchLayout {
  /** Tokens to compute, padding included. */
  int rows;

  /** Rows of the block table. */
  int sequences;

  /** Rows that make logits. */
  int samples;

  /** Rows that are alone in their sequence. */
  int decodes;

  /** Tiles of up to 64 rows that follow each other in one sequence. */
  int tiles;

  /** Blocks in a row of the block table. */
  int tableWidth;

  int tokenAt;
  int positionAt;
  int slotAt;
  int sequenceAt;
  int sampleRowAt;
  int decodeRowAt;
  int carryFromAt;
  int carryToAt;
  int tableAt;
  int tileAt;
  int wholeAt;
  int realAt;
  int end;

  /** Most ints of any step, for buffers whose addresses must not change. */
  static long maxInts(int maxRows, int maxSequences, int tableWidth) {
    final long tiles = maxSequences + maxRows / 64 + 1L;
    final long perSample = 1 + 1 + 2 + 4 + 3;
    return 4L * maxRows + maxSequences * (perSample + tableWidth) + 3 * tiles;
  }

  /** Sets counts and offsets. A step has as many places for carried tokens as sequences. */
  void arrange(int rows, int sequences, int samples, int decodes, int tiles, int tableWidth) {
    this.rows = rows;
    this.sequences = sequences;
    this.samples = samples;
    this.decodes = decodes;
    this.tiles = tiles;
    this.tableWidth = tableWidth;
    tokenAt = 0;
    positionAt = tokenAt + rows;
    slotAt = positionAt + rows;
    sequenceAt = slotAt + rows;
    sampleRowAt = sequenceAt + rows;
    decodeRowAt = sampleRowAt + samples;
    carryFromAt = decodeRowAt + decodes;
    carryToAt = carryFromAt + sequences;
    tableAt = carryToAt + sequences;
    tileAt = tableAt + sequences * tableWidth;
    wholeAt = tileAt + 3 * tiles;
    realAt = wholeAt + 4 * samples;
    end = realAt + 3 * samples;
  }
}
