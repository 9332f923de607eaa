package dev.headway.api.config;

/** Whether the tokens of an image, or another item, may be computed over several steps. */
public enum ChunkedMmInput {
  /** A chunk of a prompt may end inside an item. */
  ENABLED,
  /** A chunk that begins before an item ends before it or behind it. */
  DISABLED
}
