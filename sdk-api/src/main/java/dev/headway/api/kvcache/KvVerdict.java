package dev.headway.api.kvcache;

/**
 * What the KV cache answers to a demand for blocks. Anything but {@link #ALLOCATED} has changed
 * nothing; {@link KvCacheManager#neededBlocks()} then says how many blocks were asked of the free
 * ones.
 */
public enum KvVerdict {
  /** The sequence has its blocks. */
  ALLOCATED,
  /** The tokens of this step need more blocks than are free. */
  BLOCKS_SHORT,
  /** The blocks of this step would do, but not with the watermark kept free. */
  WATERMARK_SHORT,
  /** The whole sequence must fit before it starts, and does not. */
  FULL_SEQUENCE_SHORT,
  /** The state its prefix ends with is computed in this very step and cannot be read yet. */
  PREFIX_IN_PROGRESS
}
