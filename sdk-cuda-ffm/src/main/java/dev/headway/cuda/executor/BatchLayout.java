package dev.headway.cuda.executor;

import dev.headway.cuda.kernel.DecodeCut;
import dev.headway.cuda.kernel.TableKernels;

/**
 * How many rows of what kind a step has, and where its arrays lie in the block that is uploaded.
 * Offsets are in {@code int}s from the block's begin. Equal counts give equal offsets, which is
 * what lets a recorded graph be replayed: whatever the number of items and of changes of block
 * tables, which come last. {@code sequence} says for each row which row of {@link BlockTables} has
 * its blocks.
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

  /** Changes of block tables: ids that lie side by side in one of them. */
  int runs;

  /** Ids of all changes, one after the other. */
  int ids;

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

  int runAt;
  int idAt;
  int end;

  /** Most ints of any step, for buffers whose addresses must not change. */
  static long maxInts(int maxRows, int maxSequences, int mostItems, int maxBlocks) {
    final long tiles = maxSequences + maxRows / 64 + 1L;
    final long perSequence = 1L + 2 + 4 + 3 + 1 + TableKernels.RUN_INTS + maxBlocks;
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
  void arrange(int rows, int sequences, int samples, int items, int tiles, int runs, int ids) {
    this.rows = rows;
    this.sequences = sequences;
    this.samples = samples;
    this.items = items;
    this.tiles = tiles;
    this.runs = runs;
    this.ids = ids;
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
    runAt = workAt + workInts(items);
    idAt = runAt + TableKernels.RUN_INTS * runs;
    end = idAt + ids;
  }
}
