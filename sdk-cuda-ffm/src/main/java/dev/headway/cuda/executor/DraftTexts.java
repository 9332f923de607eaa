package dev.headway.cuda.executor;

import dev.headway.api.request.PlannedRequest;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import dev.headway.executor.speculation.NgramDrafter;
import dev.headway.executor.speculation.NgramOptions;
import java.util.Arrays;

/**
 * The texts of the requests that are run, of which drafts are found. One step in flight; engine
 * thread. A text is kept in the place of its request in {@link BlockTables} and grows by what is
 * new; a look at it takes time in proportion to its length, as in vLLM.
 */
final class DraftTexts {
  private static final int[] EMPTY = {};

  private final NgramDrafter drafter;
  private final int maxModelLen;
  private final int[][] texts;
  private final int[] lengths;
  private final long[] numbers;
  private int[] rowOf = new int[16]; // of each lane that begins an entry
  private int toPropose;

  DraftTexts(ExecutorOptions options, NgramOptions ngrams) {
    drafter = new NgramDrafter(ngrams);
    maxModelLen = options.maxModelLen();
    texts = new int[options.maxNumSeqs()][];
    Arrays.fill(texts, EMPTY);
    lengths = new int[texts.length];
    numbers = new long[texts.length];
    Arrays.fill(numbers, -1);
  }

  /** Reads what is new of the texts whose entries sample. */
  void pack(StepPlan plan, BatchEntries entries, BlockTables tables) {
    toPropose = plan.drafts().toPropose();
    if (rowOf.length < entries.size()) {
      rowOf = new int[Math.max(entries.size(), 2 * rowOf.length)];
    }
    for (int lane = 0; toPropose > 0 && lane < entries.size(); lane++) {
      if (entries.answers(lane) && entries.draftsBefore(lane) == 0) {
        final int row = tables.row(entries.entryOf(lane));
        rowOf[lane] = row;
        read(plan.request(entries.entryOf(lane)), row, entries.nextPosition(lane));
      }
    }
  }

  private void read(PlannedRequest request, int row, int length) {
    int from = lengths[row];
    if (numbers[row] != request.number() || from > length) {
      numbers[row] = request.number();
      from = 0;
    }
    if (texts[row].length < length) {
      texts[row] = Arrays.copyOf(texts[row], Math.max(length, 2 * texts[row].length));
    }
    request.copyTokenIds(from, texts[row], from, length - from);
    lengths[row] = length;
  }

  /** Adds drafts for the next step to an output that has its tokens. */
  void propose(BatchEntries entries, StepOutput output) {
    for (int lane = 0; toPropose > 0 && lane < entries.size(); lane++) {
      final int entry = entries.entryOf(lane);
      if (entries.answers(lane)
          && entries.draftsBefore(lane) == 0
          && output.failure(entry) == null) {
        propose(entry, rowOf[lane], output);
      }
    }
  }

  private void propose(int entry, int row, StepOutput output) {
    final int answered = output.tokenCount(entry);
    final int count = lengths[row] + answered;
    if (texts[row].length < count) {
      texts[row] = Arrays.copyOf(texts[row], Math.max(count, 2 * texts[row].length));
    }
    final int[] text = texts[row];
    for (int i = 0; i < answered; i++) { // kept by the next pack alone: they may be cut at a stop
      text[lengths[row] + i] = output.token(entry, i);
    }
    final int most = Math.min(toPropose, maxModelLen - count);
    final int first = drafter.firstDraft(text, count, most);
    for (int i = first; i < Math.min(count, first + Math.max(most, 0)); i++) {
      output.addDraft(entry, text[i]);
    }
  }
}
