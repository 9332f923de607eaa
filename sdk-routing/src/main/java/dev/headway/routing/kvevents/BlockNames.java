package dev.headway.routing.kvevents;

import dev.headway.routing.kvevents.codec.KvBlockHash;
import org.jspecify.annotations.Nullable;

/** Gives blocks the names that others compute too. Called by one thread. */
@FunctionalInterface
public interface BlockNames {

  /**
   * Names a block.
   *
   * @param parent name of the block in front of it; null if it begins a prompt
   * @param tokens holds the block's tokens
   * @param from where they begin
   * @param blockSize how many there are
   * @param adapter name of the adapter; null for none
   * @param salt what keeps the prompt's blocks apart from those of others; null for nothing
   */
  KvBlockHash name(
      @Nullable KvBlockHash parent,
      int[] tokens,
      int from,
      int blockSize,
      @Nullable String adapter,
      @Nullable String salt);
}
