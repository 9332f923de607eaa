package dev.headway.cuda.executor;

import dev.headway.cuda.kernel.DecodeCut;
import dev.headway.cuda.kernel.PrefillCut;
import dev.headway.cuda.kernel.TableKernels;
import java.util.Arrays;

/**
 * How many rows of what kind a step has, and where its arrays lie in the block that is uploaded.
 * Offsets are in {@code int}s from the block's begin. Equal counts give equal offsets, which is
 * what lets a recorded graph be replayed: whatever the number of items and of changes of block
 * tables, which come last. Lists of items are one for each window ({@link ForwardShape}), slots for
 * each group of layers. {@code sequence} says for each row which row of {@link BlockTables} has its
 * blocks. {@code adapter} says for each row which place of {@link AdapterSlots} is its adapter's,
 * in an executor that has adapters.
 */
final class BatchLayout {
  private static final int ALIGNMENT = 4; // of lists that are read 16 bytes at a time

  /** Tokens to compute, padding included. */
  int rows;

  /** Requests that compute. */
  int sequences;

  /** Rows that make logits. */
  int samples;

  /** Whether any row may have an adapter. */
  boolean hasAdapters;

  private final ForwardShape shape;
  private final int[] items; // by list
  private final int[] prefills; // by list
  private final int[] workAt; // by list
  private final int[] prefillAt; // by list
  private final PrefillLaunches[] launches; // by list

  BatchLayout(ForwardShape shape) {
    this.shape = shape;
    final int lists = shape.lists();
    items = new int[lists];
    prefills = new int[lists];
    workAt = new int[lists];
    prefillAt = new int[lists];
    launches = new PrefillLaunches[lists];
    Arrays.setAll(launches, list -> new PrefillLaunches());
  }

  /** Lists of items. */
  int lists() {
    return items.length;
  }

  /** Items of decoding: how the rows that are alone in their sequence are cut. */
  int items(int list) {
    return items[list];
  }

  /** Items of prefill: how chunks, of several rows of one sequence each, are cut. */
  int prefills(int list) {
    return prefills[list];
  }

  /** How the items of prefill are launched. */
  PrefillLaunches launches(int list) {
    return launches[list];
  }

  /** Where the items of decoding begin, as the kernel reads them: at a multiple of 16 bytes. */
  int workAt(int list) {
    return workAt[list];
  }

  int prefillAt(int list) {
    return prefillAt[list];
  }

  /** Where the slots of a group of layers are. */
  int slotAt(int group) {
    return slotAt + group * rows;
  }

  /** Changes of block tables: ids that lie side by side in one of them. */
  int runs;

  /** Ids of all changes, one after the other. */
  int ids;

  int tokenAt;
  int positionAt;
  private int slotAt;
  int adapterAt;
  int sequenceAt;
  int sampleRowAt;
  int carryFromAt;
  int carryToAt;
  int wholeAt;
  int realAt;
  int topAt;

  int runAt;
  int idAt;
  int end;

  /**
   * Most ints of any step, for buffers whose addresses must not change.
   *
   * @param maxSequences lanes, those of drafts included
   * @param maxTables requests, whose block tables may all be new
   */
  static long maxInts(ForwardShape shape, int maxRows, int maxSequences, int maxTables) {
    final long prefills = shape.mostPrefillItems() + 1L; // one of padding
    final int groups = shape.layers().groups();
    final long perSequence = 1L + 2 + 4 + 3 + 1;
    final long perTable = (long) TableKernels.RUN_INTS * groups + shape.tableWidth();
    long lists = 0;
    for (int list = 0; list < shape.lists(); list++) {
      final int items = Math.multiplyExact(maxSequences, shape.mostItemsOfRow(list));
      lists += PrefillCut.ITEM_INTS * prefills + 2 * ALIGNMENT + workInts(items);
    }
    final int adapters = shape.hasAdapters() ? 1 : 0;
    return (3L + groups + adapters) * maxRows
        + maxSequences * perSequence
        + maxTables * perTable
        + lists;
  }

  private static int aligned(int at) {
    return (at + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  }

  private static int workInts(int items) {
    return DecodeCut.HEADER_INTS + DecodeCut.ITEM_INTS * items;
  }

  /**
   * Sets counts and offsets. A step has as many places for carried tokens as sequences.
   *
   * @param items of decoding, by list
   * @param prefills items of prefill, by list
   */
  void arrange(
      int rows, int sequences, int samples, int[] items, int[] prefills, int runs, int ids) {
    this.rows = rows;
    this.sequences = sequences;
    this.samples = samples;
    this.runs = runs;
    this.ids = ids;
    tokenAt = 0;
    positionAt = tokenAt + rows;
    slotAt = positionAt + rows;
    adapterAt = slotAt(shape.layers().groups());
    sequenceAt = adapterAt + (shape.hasAdapters() ? rows : 0);
    sampleRowAt = sequenceAt + rows;
    carryFromAt = sampleRowAt + samples;
    carryToAt = carryFromAt + sequences;
    int at = carryToAt + sequences;
    for (int list = 0; list < lists(); list++) {
      this.prefills[list] = prefills[list];
      prefillAt[list] = aligned(at);
      at = prefillAt[list] + PrefillCut.ITEM_INTS * prefills[list];
    }
    wholeAt = at;
    realAt = wholeAt + 4 * samples;
    topAt = realAt + 3 * samples;
    at = topAt + samples;
    for (int list = 0; list < lists(); list++) {
      this.items[list] = items[list];
      workAt[list] = aligned(at);
      final boolean isLast = list == lists() - 1;
      at = workAt[list] + workInts(isLast ? items[list] : sequences * shape.mostItemsOfRow(list));
    }
    runAt = at;
    idAt = runAt + TableKernels.RUN_INTS * runs;
    end = idAt + ids;
  }
}
