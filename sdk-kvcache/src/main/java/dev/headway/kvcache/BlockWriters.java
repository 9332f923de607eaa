package dev.headway.kvcache;

/**
 * Which step was to write what a block holds, and for which sequence. Blocks become findable when
 * they are planned: if the step fails, who has found them must know.
 *
 * <p>Means something only while the block holds a content. One thread; allocates nothing.
 */
final class BlockWriters {

  /** The step of what is written for sure. */
  static final long ANSWERED = 0;

  private final long[] steps;
  private final long[] sequences;

  BlockWriters(int numBlocks) {
    steps = new long[numBlocks];
    sequences = new long[numBlocks];
  }

  /** Step {@code stepId} writes {@code block} for {@code sequence}. */
  void writes(int block, long stepId, long sequence) {
    steps[block] = stepId;
    sequences[block] = sequence;
  }

  /** The step that was to write {@code block}. */
  long stepOf(int block) {
    return steps[block];
  }

  /** The sequence it was to write it for. */
  long sequenceOf(int block) {
    return sequences[block];
  }
}
