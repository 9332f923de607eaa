package dev.headway.cuda.executor;

import dev.headway.cuda.kernel.DecodeCut;

/**
 * How many rows of what kind a step has, and where its arrays lie in the block that is uploaded.
 * Offsets are in {@code int}s from the block's begin. Equal counts give equal offsets, which is
 * what lets a recorded graph be replayed: whatever the number of items and of blocks, which come
 * last. {@code sequence} says for each row where its blocks begin in the uploaded block.
 */
final class BatchLayout {
  private static final int WORK_ALIGNMENT = 4;

  /** Tokens to compute, padding included. */
  int rows;

  /** Requests that compute. */
  int sequences;

  /** Rows that make logits. */
  int samples;

  /** Items of decoding: how the rows that are alone in their sequence are cut. */
  int items;

  /** Tiles of up to 64 rows that follow each other in one sequence. */
  int tiles;

  /** Blocks of all sequences, one after the other. */
  int blocks;

  int tokenAt;
  int positionAt;
  int slotAt;
  int sequenceAt;
  int sampleRowAt;
  int carryFromAt;
  int carryToAt;
  int tileAt;
  int wholeAt;
  int realAt;
  int topAt;

  /** Where the items of decoding begin, as the kernel reads them: at a multiple of 16 bytes. */
  int workAt;

  int tableAt;
  int end;

  /** Most ints of any step, for buffers whose addresses must not change. */
  static long maxInts(int maxRows, int maxSequences, int mostItems, int maxBlocks) {
    final long tiles = maxSequences + maxRows / 64 + 1L;
    final long perSequence = 1L + 2 + 4 + 3 + 1 + maxBlocks;
    return 4L * maxRows
        + maxSequences * perSequence
        + 3 * tiles
        + WORK_ALIGNMENT
        + workInts(mostItems);
  }

  private static int workInts(int items) {
    return DecodeCut.HEADER_INTS + DecodeCut.ITEM_INTS * items;
  }

  /** Sets counts and offsets. A step has as many places for carried tokens as sequences. */
  void arrange(int rows, int sequences, int samples, int items, int tiles, int blocks) {
    this.rows = rows;
    this.sequences = sequences;
    this.samples = samples;
    this.items = items;
    this.tiles = tiles;
    this.blocks = blocks;
    tokenAt = 0;
    positionAt = tokenAt + rows;
    slotAt = positionAt + rows;
    sequenceAt = slotAt + rows;
    sampleRowAt = sequenceAt + rows;
    carryFromAt = sampleRowAt + samples;
    carryToAt = carryFromAt + sequences;
    tileAt = carryToAt + sequences;
    wholeAt = tileAt + 3 * tiles;
    realAt = wholeAt + 4 * samples;
    topAt = realAt + 3 * samples;
    workAt = (topAt + samples + WORK_ALIGNMENT - 1) / WORK_ALIGNMENT * WORK_ALIGNMENT;
    tableAt = workAt + workInts(items);
    end = tableAt + blocks;
  }
}
