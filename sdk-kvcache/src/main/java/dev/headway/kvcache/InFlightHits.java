package dev.headway.kvcache;

import dev.headway.api.kvcache.KvDependents;
import dev.headway.api.kvcache.KvSequence;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/*
 * A hit is an edge from an epoch that found a block to the epoch that was to write it, in a step whose
 * answer is not there yet. The dependents of a failed step are what can be reached from it against the
 * edges:
 *
 *  - Directly: the block was written for the failed sequence, in the step that failed or in a later one
 *    of the same epoch. A later one counts, because each of its tokens is computed from those before;
 *    that block may be all the finder looks at (a window), or hold the end of a block begun in the
 *    step that failed.
 *  - By others: the block was written in an epoch that itself depends on the failed step. All it writes
 *    is computed from what it found when it was admitted.
 *
 * Nothing is found before it was planned, so edges point to older ones, and one pass in the order in
 * which they came sees all. Edges of epochs that began in steps that are over lead to steps that are
 * over.
 */

/**
 * Hits on blocks that no answered step has written yet, oldest first.
 *
 * <p>One thread; allocates only to grow.
 */
final class InFlightHits {

  /** Any sequence of the step. */
  static final long ANY_SEQUENCE = 0;

  private static final int FINDER = 0;
  private static final int FINDER_SINCE = 1;
  private static final int WRITER = 2;
  private static final int WRITER_SINCE = 3;
  private static final int WRITTEN_IN = 4;
  private static final int FIELDS = 5;

  private long[] edges = new long[16 * FIELDS];

  /** The finder of each edge. */
  private @Nullable SequenceEpoch[] finders = new SequenceEpoch[16];

  private int from;
  private int to;

  /** Epochs that depend on what failed, sequence and admission in turn. */
  private long[] dependent = new long[16];

  private int dependentLength;

  /** In its latest admission {@code finder} has found {@code block}. */
  void add(SequenceEpoch finder, int block, BlockWriters writers) {
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
    finders[to / FIELDS] = finder;
    to += FIELDS;
  }

  /** Blocks found in a row are mostly written by one step. */
  private boolean isKnown(SequenceEpoch finder, long writer, long since, long step) {
    for (int at = to - FIELDS; at >= from && isOf(at, finder); at -= FIELDS) {
      if (edges[at + WRITER] == writer
          && edges[at + WRITER_SINCE] == since
          && edges[at + WRITTEN_IN] == step) {
        return true;
      }
    }
    return false;
  }

  private boolean isOf(int at, SequenceEpoch finder) {
    return edges[at + FINDER] == finder.sequence() && edges[at + FINDER_SINCE] == finder.since();
  }

  private void makeRoom() {
    final int length = to - from;
    final boolean grows = 2 * length > edges.length;
    final long[] moved = grows ? new long[2 * edges.length] : edges;
    final @Nullable SequenceEpoch[] movedFinders =
        grows ? new SequenceEpoch[2 * finders.length] : finders;
    System.arraycopy(edges, from, moved, 0, length);
    System.arraycopy(finders, from / FIELDS, movedFinders, 0, length / FIELDS);
    Arrays.fill(movedFinders, length / FIELDS, movedFinders.length, null);
    edges = moved;
    finders = movedFinders;
    from = 0;
    to = length;
  }

  /** Every step up to {@code stepId} is over. */
  void end(long stepId) {
    while (from < to && edges[from + FINDER_SINCE] <= stepId) {
      finders[from / FIELDS] = null;
      from += FIELDS;
    }
    if (from == to) {
      from = 0;
      to = 0;
    }
  }

  /**
   * Collects those that depend on what step {@code stepId} was to write for {@code sequence}; for
   * {@link #ANY_SEQUENCE} on what it was to write for any sequence.
   */
  void collectDependents(long sequence, long stepId, KvDependents dependents) {
    dependentLength = 0;
    for (int at = from; at < to; at += FIELDS) {
      if ((isDirect(at, sequence, stepId)
              || isDependent(edges[at + WRITER], edges[at + WRITER_SINCE]))
          && !isDependent(edges[at + FINDER], edges[at + FINDER_SINCE])) {
        addDependent(edges[at + FINDER], edges[at + FINDER_SINCE]);
        handOver(at, dependents);
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

  private boolean isDependent(long sequence, long since) {
    for (int i = 0; i < dependentLength; i += 2) {
      if (dependent[i] == sequence && dependent[i + 1] == since) {
        return true;
      }
    }
    return false;
  }

  private void addDependent(long sequence, long since) {
    if (dependentLength == dependent.length) {
      dependent = Arrays.copyOf(dependent, 2 * dependentLength);
    }
    dependent[dependentLength++] = sequence;
    dependent[dependentLength++] = since;
  }

  /** A sequence admitted again since then does not depend on what it had found before. */
  private void handOver(int at, KvDependents dependents) {
    final SequenceEpoch finder = finders[at / FIELDS];
    if (finder == null || !isOf(at, finder)) {
      return;
    }
    final KvSequence sequence = finder.owner();
    if (sequence != null) {
      dependents.add(sequence);
    }
  }
}
