package dev.headway.api.kvcache;

/** Everything cached was forgotten; the blocks are not reported one by one. */
public interface KvCacheCleared extends KvCacheEvent {}
