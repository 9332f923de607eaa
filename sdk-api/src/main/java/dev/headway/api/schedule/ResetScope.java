package dev.headway.api.schedule;

/** What a prefix-cache reset may disturb. */
public enum ResetScope {
  /** Nothing: the reset is refused while any block is held. */
  IDLE_ONLY,
  /** Running requests are preempted first, and compute everything again. */
  PREEMPT_RUNNING
}
