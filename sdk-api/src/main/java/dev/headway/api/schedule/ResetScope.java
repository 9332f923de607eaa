package dev.headway.api.schedule;

/** What a prefix-cache reset may affect. */
public enum ResetScope {
  /** Nothing: the reset is refused while any block is held. */
  IDLE_ONLY,
  /** Running requests are preempted first and recompute everything. */
  PREEMPT_RUNNING
}
