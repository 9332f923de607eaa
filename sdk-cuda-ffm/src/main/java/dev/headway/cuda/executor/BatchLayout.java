package dev.headway.cuda.executor;

import dev.headway.cuda.kernel.DecodeCut;
import dev.headway.cuda.kernel.PrefillCut;
import dev.headway.cuda.kernel.TableKernels;

/**
 * How many rows of what kind a step has, and where its arrays lie in the block that is uploaded.
 * Offsets are in {@code int}s from the block's begin. Equal counts give equal offsets, which is
 * what lets a recorded graph be replayed: whatever the number of items and of changes of block
 * tables, which come last. {@code sequence} says for each row which row of {@link BlockTables} has
 * its blocks.
 */
final class BatchLayout {
  private static final int ALIGNMENT = 4; // of lists that are read 16 bytes at a time

  /** Tokens to compute, padding included. */
  int rows;

  /** Requests that compute. */
  int sequences;

  /** Rows that make logits. */
  int samples;

  /** Items of decoding: how the rows that are alone in their sequence are cut. */
  int items;

  /** Items of prefill: how chunks, of several rows of one sequence each, are cut. */
  int prefills;

  /** How the items of prefill are launched. */
  final PrefillLaunches launches = new PrefillLaunches();

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
  int prefillAt;
  int wholeAt;
  int realAt;
  int topAt;

  /** Where the items of decoding begin, as the kernel reads them: at a multiple of 16 bytes. */
  int workAt;

  int runAt;
  int idAt;
  int end;

  /** Most ints of any step, for buffers whose addresses must not change. */
  static long maxInts(
      int maxRows, int maxSequences, int mostItems, int mostPrefillItems, int maxBlocks) {
    final long prefills = mostPrefillItems + 1L; // one of padding
    final long perSequence = 1L + 2 + 4 + 3 + 1 + TableKernels.RUN_INTS + maxBlocks;
    return 4L * maxRows
        + maxSequences * perSequence
        + PrefillCut.ITEM_INTS * prefills
        + 2 * ALIGNMENT
        + workInts(mostItems);
  }

  private static int aligned(int at) {
    return (at + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  }

  private static int workInts(int items) {
    return DecodeCut.HEADER_INTS + DecodeCut.ITEM_INTS * items;
  }

  /** Sets counts and offsets. A step has as many places for carried tokens as sequences. */
  void arrange(int rows, int sequences, int samples, int items, int prefills, int runs, int ids) {
    this.rows = rows;
    this.sequences = sequences;
    this.samples = samples;
    this.items = items;
    this.prefills = prefills;
    this.runs = runs;
    this.ids = ids;
    tokenAt = 0;
    positionAt = tokenAt + rows;
    slotAt = positionAt + rows;
    sequenceAt = slotAt + rows;
    sampleRowAt = sequenceAt + rows;
    carryFromAt = sampleRowAt + samples;
    carryToAt = carryFromAt + sequences;
    prefillAt = aligned(carryToAt + sequences);
    wholeAt = prefillAt + PrefillCut.ITEM_INTS * prefills;
    realAt = wholeAt + 4 * samples;
    topAt = realAt + 3 * samples;
    workAt = aligned(topAt + samples);
    runAt = workAt + workInts(items);
    idAt = runAt + TableKernels.RUN_INTS * runs;
    end = idAt + ids;
  }
}
