package dev.headway.api.kvcache;

/** A cached block was taken for other content, or what it holds is no longer believed. */
public interface KvBlockRemoved extends KvCacheEvent {

  /** The content hash that the block was stored with. */
  long contentHash();

  /** The group of layers, from 0. */
  int group();
}
