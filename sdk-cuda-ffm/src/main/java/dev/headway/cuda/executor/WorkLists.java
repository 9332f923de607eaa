package dev.headway.cuda.executor;

import dev.headway.cuda.kernel.AttentionBatch;
import dev.headway.cuda.kernel.DecodeCut;
import dev.headway.cuda.kernel.PrefillCut;
import java.util.Arrays;

/**
 * How the lanes of a step are cut into items of attention: a list of those that decode and one of
 * chunks for each window of the model ({@link ForwardShape}). An item begins with the first key
 * that its rows see, so that no block is read that has left a window. Engine thread; allocates
 * nothing once its arrays have grown.
 */
final class WorkLists {
  private final ForwardShape shape;
  private final BatchLayout layout;
  private final BatchEntries entries;
  private final BlockTables tables;
  private final DecodeCut cut;
  private final PrefillCut prefillCut;
  private final int[] items; // by list
  private final int[] prefills; // by list
  private int padding;
  private int[] chunk = new int[16]; // lanes of several rows, those of long items last
  private int[] longestItem = new int[16]; // of each of them

  /** Lists of the lanes of {@code entries}, to be written as {@code layout} says. */
  WorkLists(ForwardShape shape, BatchLayout layout, BatchEntries entries, BlockTables tables) {
    this.shape = shape;
    this.layout = layout;
    this.entries = entries;
    this.tables = tables;
    cut = shape.cut();
    prefillCut = shape.prefillCut();
    items = new int[shape.lists()];
    prefills = new int[shape.lists()];
  }

  /**
   * Counts the items.
   *
   * @param padding rows that decode behind those of the lanes, and see nothing
   */
  void count(int padding) {
    this.padding = padding;
    Arrays.fill(items, padding);
    Arrays.fill(prefills, 0);
    for (int lane = 0; lane < entries.size(); lane++) {
      if (entries.refusal(lane) == null) {
        count(entries.count(lane), entries.firstPosition(lane));
      }
    }
  }

  private void count(int rows, int before) {
    for (int list = 0; list < items.length; list++) {
      final int window = shape.window(list);
      if (rows == 1) {
        items[list] += cut.items(AttentionBatch.firstKey(before, window), before + 1);
      } else {
        prefills[list] += prefillCut.items(rows, before, window);
      }
    }
  }

  /** Items of the rows that decode, by list. */
  int[] items() {
    return items;
  }

  /** Items of chunks, by list. */
  int[] prefills() {
    return prefills;
  }

  /** Writes all lists to a block that was arranged for as many items as were counted. */
  void write(int[] data) {
    for (int list = 0; list < items.length; list++) {
      writeItems(data, list);
      writePrefills(data, list);
    }
  }

  /** The items of the rows that decode: those of long contexts first, as they take longest. */
  private void writeItems(int[] data, int list) {
    final int window = shape.window(list);
    final int at = layout.workAt(list);
    data[at] = items[list];
    int to = at + DecodeCut.HEADER_INTS;
    to = writeItems(data, to, true, window);
    to = writeItems(data, to, false, window);
    for (int row = layout.rows - padding; row < layout.rows; row++) {
      to = cut.write(data, to, row, 0);
    }
  }

  private int writeItems(int[] data, int at, boolean isLong, int window) {
    int to = at;
    for (int lane = 0; lane < entries.size(); lane++) {
      if (entries.refusal(lane) == null && entries.count(lane) == 1) {
        final int first = AttentionBatch.firstKey(entries.firstPosition(lane), window);
        final int keys = entries.nextPosition(lane);
        if (cut.isLong(first, keys) == isLong) {
          to = cut.write(data, to, entries.firstRow(lane), first, keys);
        }
      }
    }
    return to;
  }

  /**
   * The items of chunks, those of many keys last: the kernel begins with the last item, since a
   * block that began one of many keys at the end would keep the device waiting.
   */
  private void writePrefills(int[] data, int list) {
    int chunks = 0;
    for (int lane = 0; lane < entries.size(); lane++) {
      if (entries.refusal(lane) == null && entries.count(lane) > 1) {
        insertChunk(lane, chunks++, shape.window(list));
      }
    }
    layout.launches(list).clear(shape.mostRecords());
    int to = layout.prefillAt(list);
    for (int i = 0; i < chunks; i++) {
      to = writeChunk(data, to, list, chunk[i]);
    }
  }

  private int writeChunk(int[] data, int at, int list, int lane) {
    final PrefillLaunches launches = layout.launches(list);
    final int window = shape.window(list);
    final int rows = entries.count(lane);
    final int before = entries.firstPosition(lane);
    final int firstRow = entries.firstRow(lane);
    final int table = tables.row(entries.entryOf(lane));
    int to = at;
    for (int done = 0; done < rows; done += PrefillCut.TILE_ROWS) {
      final int record = launches.place(prefillCut.records(rows, before, done, window));
      to = prefillCut.write(data, to, rows, before, done, firstRow, table, record, window);
      launches.endAt((to - layout.prefillAt(list)) / PrefillCut.ITEM_INTS);
    }
    return to;
  }

  private void insertChunk(int lane, int chunks, int window) {
    if (chunk.length == chunks) {
      chunk = Arrays.copyOf(chunk, 2 * chunks);
      longestItem = Arrays.copyOf(longestItem, 2 * chunks);
    }
    final int keys =
        prefillCut.longestItem(entries.count(lane), entries.firstPosition(lane), window);
    int at = chunks;
    while (at > 0 && longestItem[at - 1] > keys) {
      chunk[at] = chunk[at - 1];
      longestItem[at] = longestItem[at - 1];
      at--;
    }
    chunk[at] = lane;
    longestItem[at] = keys;
  }
}
