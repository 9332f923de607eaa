package dev.headway.kvcache;

import java.util.Arrays;

/*
 * A hit is an edge from a tenure that found a block to the tenure that was to write it, in a step whose
 * answer is not there yet. Who rests on a failed step is what can be reached from it against the edges:
 *
 *  - Directly: the block was written for the failed sequence, in the step that failed or in a later one
 *    of the same tenure. A later one counts, because each of its tokens is computed from those before;
 *    that block may be all the finder looks at (a window), or hold the end of a block begun in the
 *    step that failed.
 *  - By others: the block was written in a tenure that itself rests on the failed step. All it writes
 *    is computed from what it found when it was admitted.
 *
 * Nothing is found before it was planned, so edges point to older ones, and one pass in the order in
 * which they came sees all. Edges of tenures admitted in steps that are over lead to steps that are
 * over.
 */

/**
 * Who has found blocks that no answered step has written yet, oldest first.
 *
 * <p>One thread; allocates only to grow.
 */
final class UnansweredHits {

  /** Any sequence of the step. */
  static final long ANY_SEQUENCE = 0;

  private static final int FINDER = 0;
  private static final int FINDER_SINCE = 1;
  private static final int WRITER = 2;
  private static final int WRITER_SINCE = 3;
  private static final int WRITTEN_IN = 4;
  private static final int FIELDS = 5;

  private long[] edges = new long[16 * FIELDS];
  private int from;
  private int to;

  /** Finders that rest on what was asked last: sequence and admission in turn. */
  private long[] resting = new long[16];

  private int restingLength;
  private long askedSequence;
  private long askedStep;

  /** In its latest admission {@code finder} has found {@code block}. */
  void add(Tenure finder, int block, BlockWriters writers) {
    final long writer = writers.sequenceOf(block);
    final long since = writers.sinceOf(block);
    final long step = writers.stepOf(block);
    if (isKnown(finder, writer, since, step)) {
      return;
    }
    if (to == edges.length) {
      makeRoom();
    }
    edges[to + FINDER] = finder.sequence();
    edges[to + FINDER_SINCE] = finder.since();
    edges[to + WRITER] = writer;
    edges[to + WRITER_SINCE] = since;
    edges[to + WRITTEN_IN] = step;
    to += FIELDS;
    askedStep = 0;
  }

  /** Blocks found in a row are mostly written by one step. */
  private boolean isKnown(Tenure finder, long writer, long since, long step) {
    for (int at = to - FIELDS; at >= from && isOf(at, finder); at -= FIELDS) {
      if (edges[at + WRITER] == writer
          && edges[at + WRITER_SINCE] == since
          && edges[at + WRITTEN_IN] == step) {
        return true;
      }
    }
    return false;
  }

  private boolean isOf(int at, Tenure finder) {
    return edges[at + FINDER] == finder.sequence() && edges[at + FINDER_SINCE] == finder.since();
  }

  private void makeRoom() {
    final int length = to - from;
    final long[] target = 2 * length > edges.length ? new long[2 * edges.length] : edges;
    System.arraycopy(edges, from, target, 0, length);
    edges = target;
    from = 0;
    to = length;
  }

  /** Every step up to {@code stepId} is over. */
  void settle(long stepId) {
    while (from < to && edges[from + FINDER_SINCE] <= stepId) {
      from += FIELDS;
    }
    if (from == to) {
      from = 0;
      to = 0;
    }
    askedStep = 0;
  }

  /**
   * Whether {@code finder} rests on what step {@code stepId} was to write for {@code sequence}; for
   * {@link #ANY_SEQUENCE} on what it was to write itself, whoever needs it.
   */
  boolean restsOn(Tenure finder, long sequence, long stepId) {
    if (from == to) {
      return false;
    }
    if (askedStep != stepId || askedSequence != sequence) {
      askedStep = stepId;
      askedSequence = sequence;
      follow(sequence, stepId);
    }
    return isResting(finder.sequence(), finder.since());
  }

  private void follow(long sequence, long stepId) {
    restingLength = 0;
    for (int at = from; at < to; at += FIELDS) {
      if (isDirect(at, sequence, stepId)
          || isResting(edges[at + WRITER], edges[at + WRITER_SINCE])) {
        addResting(edges[at + FINDER], edges[at + FINDER_SINCE]);
      }
    }
  }

  private boolean isDirect(int at, long sequence, long stepId) {
    if (sequence == ANY_SEQUENCE) {
      return edges[at + WRITTEN_IN] == stepId;
    }
    return edges[at + WRITER] == sequence
        && edges[at + WRITER_SINCE] <= stepId
        && edges[at + WRITTEN_IN] >= stepId;
  }

  private boolean isResting(long sequence, long since) {
    for (int i = 0; i < restingLength; i += 2) {
      if (resting[i] == sequence && resting[i + 1] == since) {
        return true;
      }
    }
    return false;
  }

  private void addResting(long sequence, long since) {
    if (isResting(sequence, since)) {
      return;
    }
    if (restingLength == resting.length) {
      resting = Arrays.copyOf(resting, 2 * restingLength);
    }
    resting[restingLength++] = sequence;
    resting[restingLength++] = since;
  }
}
