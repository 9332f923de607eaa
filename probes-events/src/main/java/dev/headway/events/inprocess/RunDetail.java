package dev.headway.events.inprocess;

import dev.headway.api.probe.ProbeInterest;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/** How much a {@link RunProbe} follows, and thus costs. Each value includes those before it. */
public enum RunDetail {
  /**
   * Requests, their waits and preemptions, and steps as a whole: without {@code
   * StepTimeline.entries()} and what is counted over them (prefill requests and tokens, produced
   * and draft tokens are 0), scheduled and produced tokens per request, and token gaps. What a step
   * costs does not grow with its batch.
   */
  CHANGES,
  /** Also what each request of a step computes and gets: an object per step as large as a batch. */
  ENTRIES,
  /** Also KV blocks, KV transfers, journeys and scores: what a journal of level debug has. */
  EVERYTHING;

  boolean hasEntries() {
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
