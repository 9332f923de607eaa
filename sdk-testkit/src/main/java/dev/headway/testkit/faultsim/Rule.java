package dev.headway.testkit.faultsim;

/** What must hold in every scenario. */
public enum Rule {
  /** {@code free + quarantined + held = usable} after every step, a shared block counted once. */
  BLOCKS_CONSERVED,
  /** Every request ends exactly once, with a reason that something has caused. */
  ONE_END,
  /** Tokens arrive in order, and are those of a request that is alone with its own KV. */
  TOKENS,
  /** A request ends at the token at which its stop rule ends it. */
  STOP_RULE,
  /** The wait times of a request, by reason, add up to the time it waited. */
  WAITS_ADD_UP,
  /** Where requests can progress, some request does; and at the end all of them end. */
  PROGRESS,
  /** Plans are within the limits of the configuration. */
  LIMITS,
  /** Counters agree with what callers have seen. */
  BOOKS,
  /** No method of the engine throws, and no fault but the executor's ends it. */
  ENGINE_LIVES,
  /** The same scenario does the same again, to the byte. */
  SAME_AGAIN
}
