package dev.headway.scheduler.encoder;

import org.jspecify.annotations.Nullable;

/** The content of items, for all requests that have it; see {@link EncoderCache}. */
final class EncodedItem {

  final String hash;

  /** Items of live requests that have this content. */
  int users;

  /** Whether its output is in the cache. */
  boolean cached;

  /** Slots it takes there. */
  int embeddings;

  /** Requests that refer to the output. */
  int references;

  /** Grows when its output leaves the cache: references from before are void. */
  long generation = 1;

  /** Neighbours among those that no request refers to; null outside. */
  @Nullable EncodedItem next;

  @Nullable EncodedItem previous;

  EncodedItem(String hash) {
    this.hash = hash;
  }
}
