package dev.headway.cuda.executor;

import dev.headway.cuda.kernel.DecodeCut;
import dev.headway.cuda.kernel.PrefillCut;
import java.util.Arrays;

/**
 * Batches whose rows belong to no request: they compute on token 0 at no position, and read and
 * write no KV block. Kernels are loaded and decode steps recorded with them; a batch of requests
 * that is filled up to one of {@link BatchSizes} ends with such rows.
 */
final class PaddingBatch {
  private static final int NONE = -1;

  private final DecodeCut cut;
  private final int[] counts; // by list
  final BatchLayout layout;
  private int[] data = {};

  PaddingBatch(ForwardShape shape) {
    cut = shape.cut();
    counts = new int[shape.lists()];
    layout = new BatchLayout(shape);
    layout.hasAdapters = shape.hasAdapters(); // what is launched and recorded once serves all
  }

  /** Makes it {@code size} rows that decode. */
  void decodes(int size) {
    layout.arrange(size, size, size, all(size), new int[counts.length], 0, 0);
    fill();
    for (int list = 0; list < layout.lists(); list++) {
      data[layout.workAt(list)] = size;
      int to = layout.workAt(list) + DecodeCut.HEADER_INTS;
      for (int row = 0; row < size; row++) {
        to = cut.write(data, to, row, 0);
      }
    }
  }

  /** Makes it one chunk of {@code rows} rows, one of which samples. */
  void prompt(int rows) {
    layout.arrange(rows, 1, 1, new int[counts.length], all(1), 0, 0);
    fill();
    for (int list = 0; list < layout.lists(); list++) {
      data[layout.prefillAt(list) + 1] = 1; // an item of one row, which sees no key
      data[layout.prefillAt(list) + 3] = PrefillCut.PADDING;
      layout.launches(list).clear(0);
      layout.launches(list).place(0);
      layout.launches(list).endAt(1);
    }
  }

  private int[] all(int count) {
    Arrays.fill(counts, count);
    return counts;
  }

  private void fill() {
    if (data.length < layout.end) {
      data = new int[layout.end];
    }
    fill(data, layout);
  }

  /** The block; its first {@code layout.end} ints count. */
  int[] data() {
    return data;
  }

  /** Makes all rows of a block padding, with no items and no changes of block tables. */
  static void fill(int[] data, BatchLayout layout) {
    final int last = layout.lists() - 1;
    Arrays.fill(data, 0, layout.workAt(last) + DecodeCut.HEADER_INTS, 0);
    Arrays.fill(data, layout.positionAt, layout.sequenceAt, NONE); // positions, slots, adapters
    Arrays.fill(data, layout.carryFromAt, layout.carryToAt, NONE);
  }
}
