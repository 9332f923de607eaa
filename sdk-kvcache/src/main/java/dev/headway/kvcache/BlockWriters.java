package dev.headway.kvcache;

/**
 * Which step was to write what a block holds, and for which request. Blocks become findable when
 * they are planned: if the step fails, who has found them must know.
 *
 * <p>Means something only while the block holds a content. One thread; allocates nothing.
 */
final class BlockWriters {

  /** The step of what is written for sure. */
  static final long ANSWERED = 0;

  private final long[] steps;
  private final long[] sequences;
  private final long[] since;

  BlockWriters(int numBlocks) {
    steps = new long[numBlocks];
    sequences = new long[numBlocks];
    since = new long[numBlocks];
  }

  /** Step {@code stepId} writes {@code block}, or the end of it, for {@code epoch}. */
  void writes(int block, long stepId, SequenceEpoch epoch) {
    steps[block] = stepId;
    sequences[block] = epoch.sequence();
    since[block] = epoch.since();
  }

  /** Step {@code stepId} copies what {@code source} holds to {@code target}. */
  void copies(int source, int target, long stepId) {
    steps[target] = stepId;
    sequences[target] = sequences[source];
    since[target] = since[source];
  }

  /** The step that was to write {@code block}. */
  long stepOf(int block) {
    return steps[block];
  }

  /** The sequence it was to write it for. */
  long sequenceOf(int block) {
    return sequences[block];
  }

  /** The step that had admitted the sequence. */
  long sinceOf(int block) {
    return since[block];
  }
}
