package dev.headway.api.kvcache;

/**
 * Receives the sequences that depend on KV that a failed step was to write. Filled by {@link
 * KvCacheManager#stepFailed}. Engine thread only.
 */
public interface KvDependents {

  /** Adds {@code sequence}, which holds blocks; a sequence may be added twice. */
  void add(KvSequence sequence);
}
