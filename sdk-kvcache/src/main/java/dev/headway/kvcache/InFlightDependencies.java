package dev.headway.kvcache;

import dev.headway.api.kvcache.KvDependents;
import dev.headway.api.kvcache.KvSequence;
import org.jspecify.annotations.Nullable;

/**
 * Dependencies on steps in flight. Blocks become findable when they are planned, so that sequences
 * find what no step has written yet; if the step fails, this finds the dependent sequences and the
 * contents are to be forgotten.
 *
 * <p>One thread; allocates only to grow. Costs an array access for each block that is found or
 * becomes full.
 */
final class InFlightDependencies {

  private final BlockWriters writers;
  private final boolean tracks;
  private final int numBlocks;

  /** Null until a block is found that no answered step has written. */
  private @Nullable InFlightHits hits;

  private long sequences;
  private long step;

  /** Every step up to here is over. */
  private long ended;

  private InFlightDependencies(int numBlocks, boolean tracks) {
    this.numBlocks = numBlocks;
    this.tracks = tracks;
    writers = new BlockWriters(tracks ? numBlocks : 0);
  }

  /** Starts with nothing found. */
  static InFlightDependencies tracking(int numBlocks) {
    return new InFlightDependencies(numBlocks, true);
  }

  /** Keeps no record: for a cache in which nothing is found. */
  static InFlightDependencies none() {
    return new InFlightDependencies(0, false);
  }

  /** The step and sequence that was to write each block. */
  BlockWriters writers() {
    return writers;
  }

  /** Names a new sequence. */
  SequenceEpoch newEpoch() {
    return new SequenceEpoch(++sequences);
  }

  /** What follows belongs to step {@code stepId}. */
  void beginStep(long stepId) {
    step = stepId;
  }

  /** The step that is being planned. */
  long step() {
    return step;
  }

  /** This step admits a sequence; what it has found follows. */
  void admits(KvSequence sequence, SequenceEpoch epoch) {
    epoch.begin(step, sequence);
  }

  /** The sequence admitted last has found {@code block}, and looks at it. */
  void finds(SequenceEpoch epoch, int block) {
    if (tracks && writers.stepOf(block) > ended) {
      if (hits == null) {
        hits = new InFlightHits();
      }
      hits.add(epoch, block, writers);
    }
  }

  /** This step writes {@code block}, or the end of it. */
  void writes(int block, SequenceEpoch epoch) {
    writes(block, epoch, step);
  }

  /** Step {@code writer}, or {@link BlockWriters#ANSWERED}, writes the end of {@code block}. */
  void writes(int block, SequenceEpoch epoch, long writer) {
    if (tracks) {
      writers.writes(block, writer, epoch);
    }
  }

  /** Whether the end of what {@code block} holds is written by this step. */
  boolean writesInThisStep(int block) {
    return tracks && writers.stepOf(block) == step;
  }

  /** This step copies what {@code source} holds to {@code target}, where others find it. */
  void copies(int source, int target) {
    if (tracks) {
      writers.copies(source, target, step);
    }
  }

  /**
   * Step {@code stepId} failed.
   *
   * @param failed sequence it failed for, or null for all
   * @param dependents takes those that depend on what it was to write
   */
  void collectDependents(long stepId, @Nullable SequenceEpoch failed, KvDependents dependents) {
    if (hits == null) {
      return;
    }
    final long sequence = failed == null ? InFlightHits.ANY_SEQUENCE : failed.sequence();
    hits.collectDependents(sequence, stepId, dependents);
  }

  /**
   * Step {@code stepId} failed, and those that depend on it have given their blocks back: what it
   * or a later step was to write is removed from the index where no sequence holds it. O(blocks).
   */
  void forgetUnheld(long stepId, BlockPool pool) {
    if (tracks) {
      for (int block = 1; block < numBlocks; block++) {
        if (writers.stepOf(block) >= stepId && pool.holders(block) == 0) {
          pool.forget(block);
        }
      }
    }
  }

  /** Every step up to {@code stepId} is over. */
  void end(long stepId) {
    ended = Math.max(ended, stepId);
    if (hits != null) {
      hits.end(stepId);
    }
  }
}
