package dev.headway.api.step;

import dev.headway.api.kvcache.KvSequence;

/**
 * The block tables of a step's entries: one per entry and group of the cache, and what of them is
 * new to the executor.
 *
 * <p>A reusable view, part of a {@link StepPlan} and valid as long. Reading allocates nothing.
 */
public interface PlannedBlocks {

  /** Number of block tables per request: the groups of the cache. */
  int groupCount();

  /** The block tables of an entry's request: live, so they are read in {@code Executor.submit}. */
  KvSequence of(int entry);

  /** Entries of the block table of {@code group}, as of this step. */
  int count(int entry, int group);

  /**
   * Position in the block table of {@code group} of the first block that the executor has not
   * received yet; {@link #count} when nothing is new, 0 for a new or resumed request.
   */
  int newFrom(int entry, int group);

  /**
   * Leading blocks of the first running request in {@code group} that every request with blocks
   * shares; for cascade attention.
   */
  int commonPrefix(int group);
}
