package dev.headway.api.step;

/**
 * What an executor does to whole KV blocks before a step computes, in the order of the methods: all
 * saves, then all loads, zeroing and copies. {@link dev.headway.api.executor.Executor} states how
 * they are ordered with other steps.
 *
 * <p>A reusable view, part of a {@link StepPlan} and valid as long. Reading allocates nothing.
 */
public interface BlockOperations {

  /**
   * Blocks to save, each to a host block in [0, hostBlocks); empty without a host tier. No host
   * block is saved to and loaded from in one step, and none is saved to twice.
   */
  BlockPairs saves();

  /**
   * Host blocks in [0, hostBlocks) to load, each to a block; empty without a host tier. No two
   * loads of a step have the same target.
   */
  BlockPairs loads();

  /** Blocks to zero; empty unless the cache has recurrent states. */
  BlockList zeroed();

  /** Blocks to copy, in this order. */
  BlockPairs copies();
}
