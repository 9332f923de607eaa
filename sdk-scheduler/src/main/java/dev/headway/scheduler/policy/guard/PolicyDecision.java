package dev.headway.scheduler.policy.guard;

/** The decisions that policies make, as faults are counted. */
public enum PolicyDecision {
  /** Which waiting request is considered first. */
  ORDER,
  /** Which requests may be admitted. */
  GATE,
  /** What an admission leaves free. */
  CAPACITY,
  /** How many tokens a step has. */
  BUDGET,
  /** How they are split between prompts. */
  CHUNKING,
  /** Which running request is preempted. */
  VICTIM,
  /** What each tenant was served. */
  LEDGER,
  /** How long a step takes. */
  STEP_TIME
}
