package dev.headway.events.inprocess;

import dev.headway.api.probe.ProbeInterest;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/** Level of detail, and thus cost, of a {@link RunProbe}. Each value includes those before it. */
public enum RunDetail {
  /**
   * Requests, their waits and preemptions, and steps as a whole: without {@code
   * StepTimeline.entries()} and the figures counted over them (prefill requests and tokens,
   * produced and draft tokens are 0), scheduled and produced tokens per request, and token gaps.
   * The cost of a step does not grow with its batch.
   */
  CHANGES,
  /**
   * Also the output tokens of each request, the instant of its latest one, and thus its time per
   * token; token gaps; produced and draft tokens per step. Still without entries: computed and
   * scheduled tokens and blocks of a request are not known step by step. The cost of a step grows
   * with its batch, but it allocates no more than before.
   */
  TOKENS,
  /**
   * Also the entries of each step, and what is counted over them: prefill requests and tokens, and
   * scheduled and computed tokens and blocks per request. One object per step, of the size of the
   * batch.
   */
  ENTRIES,
  /** Also KV blocks, KV transfers, journeys and scores: as a journal of level debug. */
  EVERYTHING;

  boolean hasEntries() {
    return this == ENTRIES || this == EVERYTHING;
  }

  boolean hasTokens() {
    return this != CHANGES;
  }

  Set<ProbeInterest> interests() {
    return Collections.unmodifiableSet(
        this == EVERYTHING
            ? EnumSet.allOf(ProbeInterest.class)
            : EnumSet.of(
                ProbeInterest.REQUESTS,
                ProbeInterest.WAITS,
                ProbeInterest.STEPS,
                ProbeInterest.CACHE_RESETS));
  }
}
