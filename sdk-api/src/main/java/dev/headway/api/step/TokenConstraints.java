package dev.headway.api.step;

/**
 * Which tokens the entries of a step may sample, where a grammar constrains their requests: a row
 * of bits per sampled position, one for each draft and one for the token behind them.
 *
 * <p>A reusable view, part of a {@link StepPlan}. It is read in {@code Executor.submit}, on the
 * engine's thread: rows come from the present state of the grammars. Reading allocates nothing.
 */
public interface TokenConstraints {

  /** Those of a plan in which every token may be sampled. */
  TokenConstraints NONE =
      new TokenConstraints() {
        @Override
        public boolean isEmpty() {
          return true;
        }

        @Override
        public boolean awaitOutputs() {
          return false;
        }

        @Override
        public int rows(int entry) {
          return 0;
        }

        @Override
        public int fill(int entry, int[] masks, int offset, int wordsPerRow) {
          return 0;
        }
      };

  /** Words of a row that has a bit for every token of a vocabulary. */
  static int wordsPerRow(int vocabularySize) {
    return (vocabularySize + Integer.SIZE - 1) / Integer.SIZE;
  }

  /** Whether no entry is constrained. */
  boolean isEmpty();

  /**
   * Whether an entry's rows depend on an output that is still due: the steps before this one must
   * be completed before rows are read. An engine sees to that. Such an output may end a request of
   * this step: its entry then has no rows, and no blocks in {@link PlannedBlocks#of}; whatever it
   * is answered is dropped.
   */
  boolean awaitOutputs();

  /** Rows of an entry: its draft tokens and one more, or 0 if it is not constrained. */
  int rows(int entry);

  /**
   * Writes the rows of an entry, each of {@code wordsPerRow} words: bit {@code t % 32} of word
   * {@code t / 32} says whether token {@code t} may be sampled. Behind a draft that only the
   * executor knows, and once the grammar is complete, all bits are set.
   *
   * @param masks receives the rows from {@code offset} on
   * @param wordsPerRow at least {@link #wordsPerRow(int)} of the vocabulary
   * @return how many rows were written, {@link #rows}
   */
  int fill(int entry, int[] masks, int offset, int wordsPerRow);
}
