package dev.headway.scheduler.policy.guard;

/** The decisions that policies make, as faults are counted. */
public enum PolicyDecision {
  /** Who is considered first. */
  ORDER,
  /** Who may be admitted. */
  GATE,
  /** What an admission leaves free. */
  CAPACITY,
  /** How many tokens a step has. */
  BUDGET,
  /** How they are split between prompts. */
  CHUNKING,
  /** Who gives way. */
  VICTIM,
  /** Who had what. */
  LEDGER,
  /** How long a step takes. */
  STEP_TIME
}
