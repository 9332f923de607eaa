package dev.headway.routing.kvevents;

import org.jspecify.annotations.Nullable;

/** A copy of what an engine reported, made on its thread for the publisher's. */
sealed interface CacheChange {

  /** Blocks became findable; {@code parent} means nothing if {@code isFirst}. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Stored(
      long[] hashes,
      boolean isFirst,
      long parent,
      int[] tokens,
      int blockSize,
      int group,
      @Nullable String adapter,
      long adapterId,
      @Nullable String salt)
      implements CacheChange {}

  /** A block is no longer findable. */
  record Removed(long hash, int group) implements CacheChange {}

  /** The cache is empty, or what happened is not known. */
  record Cleared() implements CacheChange {}
}
