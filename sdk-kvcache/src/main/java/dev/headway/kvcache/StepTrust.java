package dev.headway.kvcache;

import dev.headway.api.kvcache.KvSequence;

/**
 * What may be believed of steps that are out. Blocks become findable when they are planned, so that
 * others find what no step has written yet; if the step fails, this tells who rests on it, and
 * which contents are to be forgotten.
 *
 * <p>One thread; allocates only to grow. Costs an array access for each block that is found or
 * becomes full.
 */
final class StepTrust {

  private final BlockWriters writers;
  private final UnansweredHits hits = new UnansweredHits();
  private final boolean watches;
  private final int numBlocks;
  private long sequences;
  private long step;

  /** Every step up to here is over. */
  private long settled;

  private StepTrust(int numBlocks, boolean watches) {
    this.numBlocks = numBlocks;
    this.watches = watches;
    writers = new BlockWriters(watches ? numBlocks : 0);
  }

  /** Starts with nothing found. */
  static StepTrust watching(int numBlocks) {
    return new StepTrust(numBlocks, true);
  }

  /** Believes everything: for a cache in which nothing is found. */
  static StepTrust blind() {
    return new StepTrust(0, false);
  }

  /** Who was to write each block. */
  BlockWriters writers() {
    return writers;
  }

  /** Names a new sequence. */
  Tenure newTenure() {
    return new Tenure(++sequences);
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
  void admits(Tenure tenure) {
    tenure.begin(step);
  }

  /** The sequence admitted last has found {@code block}, and looks at it. */
  void finds(Tenure tenure, int block) {
    if (watches && writers.stepOf(block) > settled) {
      hits.add(tenure, block, writers);
    }
  }

  /** This step writes {@code block}, or the end of it. */
  void writes(int block, Tenure tenure) {
    writes(block, tenure, step);
  }

  /** Step {@code writer}, or {@link BlockWriters#ANSWERED}, writes the end of {@code block}. */
  void writes(int block, Tenure tenure, long writer) {
    if (watches) {
      writers.writes(block, writer, tenure);
    }
  }

  /** This step copies what {@code source} holds to {@code target}, where others find it. */
  void copies(int source, int target) {
    if (watches) {
      writers.copies(source, target, step);
    }
  }

  /** See {@link dev.headway.api.kvcache.KvCacheManager#restsOn(KvSequence, long)}. */
  boolean restsOn(Tenure tenure, long stepId) {
    return hits.restsOn(tenure, UnansweredHits.ANY_SEQUENCE, stepId);
  }

  /** See {@link dev.headway.api.kvcache.KvCacheManager#restsOn(KvSequence, KvSequence, long)}. */
  boolean restsOn(Tenure tenure, Tenure writer, long stepId) {
    return hits.restsOn(tenure, writer.sequence(), stepId);
  }

  /**
   * Step {@code stepId} failed, and those that rest on it have given their blocks back: what it or
   * a later step was to write is forgotten where nobody holds it. O(blocks).
   */
  void distrust(long stepId, BlockPool pool) {
    if (watches) {
      for (int block = 1; block < numBlocks; block++) {
        if (writers.stepOf(block) >= stepId && pool.holders(block) == 0) {
          pool.forget(block);
        }
      }
    }
    settle(stepId);
  }

  /** Every step up to {@code stepId} was answered, or distrusted. */
  void settle(long stepId) {
    settled = Math.max(settled, stepId);
    hits.settle(stepId);
  }
}
