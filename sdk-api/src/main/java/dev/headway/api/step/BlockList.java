package dev.headway.api.step;

/** Blocks of the device. Reading allocates nothing. */
public interface BlockList {

  /** Number of blocks. */
  int size();

  /** A block; {@code index} in [0, size). */
  int block(int index);
}
