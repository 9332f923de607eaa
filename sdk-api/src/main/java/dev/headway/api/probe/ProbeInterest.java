package dev.headway.api.probe;

/** Kinds of events that a probe can ask for. A kind that no probe asks for costs nothing. */
public enum ProbeInterest {
  /** Queued, rejected, admitted, preempted, first token, finished. */
  REQUESTS,
  /** Blocked, unblocked, admissions closed: why anything waits. */
  WAITS,
  /** Planned and completed: one pair per step, empty steps included; and changes of limits. */
  STEPS,
  /** KV blocks stored, removed, cleared. */
  KV_BLOCKS,
  /** KV blocks moved between the device and other tiers. */
  KV_TRANSFERS,
  /** Resets of the prefix cache; their preemptions belong to {@link #REQUESTS}. */
  CACHE_RESETS,
  /** Journey stages that the server around the engine reports. */
  JOURNEYS,
  /** Scores that policies gave to candidates: the basis of each ranking. */
  SCORES
}
