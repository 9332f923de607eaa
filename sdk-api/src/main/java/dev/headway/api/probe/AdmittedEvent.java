package dev.headway.api.probe;

import dev.headway.api.step.EntryKind;

/** A decision: a waiting request was admitted, for the first time or after a preemption. */
public interface AdmittedEvent extends RequestEvent {

  /** {@link EntryKind#NEW} or {@link EntryKind#RESUMED}. */
  EntryKind kind();

  /** Tokens found in the prefix cache, in both tiers. */
  int cachedTokens();

  /**
   * Those of them found in the host tier only: their blocks are loaded before the step computes.
   */
  int hostCachedTokens();

  /**
   * Tokens computed before the last preemption in blocks that are no longer there; 0 for a new
   * request.
   */
  int evictedTokens();
}
