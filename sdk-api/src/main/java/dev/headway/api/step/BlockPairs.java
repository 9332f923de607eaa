package dev.headway.api.step;

/** Pairs of blocks: the content of one is to be moved to the other. Reading allocates nothing. */
public interface BlockPairs {

  /** Number of pairs. */
  int size();

  /** The block to read; {@code index} in [0, size). */
  int source(int index);

  /** The block to write; {@code index} in [0, size). */
  int target(int index);
}
