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
  /** Also the entries of each step: one object per step, of the size of the batch. */
  ENTRIES,
  /** Also KV blocks, KV transfers, journeys and scores: as a journal of level debug. */
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
