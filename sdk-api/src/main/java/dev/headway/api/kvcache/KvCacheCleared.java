package dev.headway.api.kvcache;

/** The prefix cache was cleared; the blocks are not reported individually. */
public interface KvCacheCleared extends KvCacheEvent {}
