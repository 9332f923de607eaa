package dev.headway.api.kvcache;

/** A cached block was reused for other content, or its content was invalidated. */
public interface KvBlockRemoved extends KvCacheEvent {

  /** The content hash that the block was stored with. */
  long contentHash();

  /** The group of layers, from 0. */
  int group();
}
