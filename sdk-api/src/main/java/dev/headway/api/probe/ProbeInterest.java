package dev.headway.api.probe;

/** Kinds of events a probe can ask for. What no probe asks for costs nothing. */
public enum ProbeInterest {
  /** Queued, rejected, admitted, first token, preempted, cache reset, finished. */
  REQUESTS,
  /** Blocked, unblocked, admissions closed: why anything waits. */
  WAITS,
  /** Planned and completed: one pair per step, empty steps included. */
  STEPS,
  /** KV blocks stored, removed, cleared. */
  KV_BLOCKS,
  /** Scores that policies gave to candidates: how a choice came about. */
  SCORES
}
