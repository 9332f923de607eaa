package dev.headway.api.request;

/**
 * Read-only view of a live request for probes and policies.
 *
 * <p>Engine thread only, and only during the call that passes it; the values change with every
 * step. Copy what is needed later. Reading allocates nothing.
 *
 * <p>A request has <em>known</em> tokens (prompt and outputs) and <em>computed</em> tokens (those
 * whose KV is computed or scheduled to be). Prefill, chunked prefill, decode and recomputation are
 * all the same: computed catching up with known.
 */
public interface RequestView extends PlannedRequest {

  /** Scheduling state. */
  RequestStatus status();

  /** Instant of submission. */
  long arrivalNs();

  /** Instant at which the engine thread put it into the waiting queue, >= {@link #arrivalNs()}. */
  long queuedNs();

  /**
   * Tokens computed or scheduled; counted up when the request is put into a plan, set to 0 by a
   * preemption and to the cached prefix by an admission.
   */
  int computedTokens();

  /**
   * Whether its next plan entry {@linkplain dev.headway.api.step.StepPlan#isDecode decodes}: its
   * prompt is computed or scheduled to be, and of its outputs at most the newest known one is not.
   */
  default boolean isDecoding() {
    return computedTokens() >= Math.max(promptTokens(), knownTokens() - 1);
  }

  /** Tokens that the first admission found in the prefix cache; 0 before it. */
  int cachedTokens();

  /**
   * Tokens that its latest admission found in the host tier only: their blocks are loaded before
   * the step computes. 0 without such a tier.
   */
  default int hostCachedTokens() {
    return 0;
  }

  /** Those of {@link #cachedTokens} that a KV connector has; 0 without one. */
  default int externalCachedTokens() {
    return 0;
  }

  /** Tokens scheduled in steps whose output was not processed yet. */
  int inFlightTokens();

  /** KV blocks held now, over all groups of the cache. */
  int kvBlocks();

  /**
   * Leading tokens that other requests can find in the prefix cache, counted over this request's
   * own blocks only.
   */
  int sharedPrefixTokens();

  /** How often it was preempted. */
  int preemptions();
}
