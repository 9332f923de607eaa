package dev.headway.api.request;

/**
 * Read-only view of a live request for probes, policies and executors.
 *
 * <p>Engine thread only, and only during the call that passes it; the values change with every
 * step. Copy what is needed later. Reading allocates nothing.
 *
 * <p>A request has <em>known</em> tokens (prompt and outputs) and <em>computed</em> tokens (those
 * whose KV is computed or scheduled to be). Prefill, chunked prefill, decode and recomputation are
 * all the same: computed catching up with known.
 */
public interface RequestView {

  /** The request as submitted. */
  Request request();

  /** The caller's name for it; the same as {@code request().id()}. */
  default String id() {
    return request().id();
  }

  /** Position in the order of arrival at this engine, from 0; never reused. */
  long number();

  /** Scheduling state. */
  RequestStatus status();

  /** Instant of submission. */
  long arrivalNs();

  /** Instant at which the engine thread put it into the waiting queue, >= {@link #arrivalNs()}. */
  long queuedNs();

  /** Prompt tokens, >= 1. */
  default int promptTokens() {
    return request().promptTokens();
  }

  /** Tokens generated so far. */
  default int outputTokens() {
    return knownTokens() - promptTokens();
  }

  /** Prompt and output tokens. */
  int knownTokens();

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

  /** Returns the known token at {@code position} in [0, knownTokens). */
  int tokenId(int position);

  /**
   * Copies known tokens.
   *
   * @param from first position, in [0, knownTokens)
   * @param target receives {@code length} ids from {@code offset} on
   */
  void copyTokenIds(int from, int[] target, int offset, int length);
}
