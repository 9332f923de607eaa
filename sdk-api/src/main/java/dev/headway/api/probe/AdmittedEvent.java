package dev.headway.api.probe;

import dev.headway.api.step.EntryKind;

/** A decision: a waiting request was admitted, for the first time or after a preemption. */
public interface AdmittedEvent extends RequestEvent {

  /** {@link EntryKind#NEW} or {@link EntryKind#RESUMED}. */
  EntryKind kind();

  /** Tokens found in the prefix cache, in both tiers, and those that a KV connector has. */
  int cachedTokens();

  /**
   * Those of them found in the host tier only: their blocks are loaded before the step computes.
   */
  int hostCachedTokens();

  /** Those of them that a KV connector has; 0 without one. */
  default int externalTokens() {
    return 0;
  }

  /**
   * Content hash of the last block found in the prefix cache, in either tier, as {@link
   * dev.headway.api.kvcache.KvBlocksStored} names contents; 0 if none was found or the cache does
   * not say.
   */
  default long prefixHash() {
    return 0;
  }

  /**
   * Tokens computed before the last preemption in blocks that are no longer there; 0 for a new
   * request.
   */
  int evictedTokens();
}
