package dev.headway.faultsim.simulation;

/** What must hold in every scenario. */
public enum Rule {
  /** {@code free + quarantined + held = usable} after every step, a shared block counted once. */
  BLOCKS_CONSERVED,
  /**
   * A released block is free once no step can write to it, not before; and it is nothing but free
   * then.
   */
  FENCES,
  /** What is loaded from host memory was saved by a step that was answered. */
  TRANSFERS,
  /** Only a request that cannot be served is refused, for a reason that holds. */
  REFUSALS,
  /** Every request ends exactly once, with a reason that something has caused. */
  ONE_END,
  /** A deadline, a cancellation or a listener's exception ends its request within a step. */
  ENDS_IN_TIME,
  /** Tokens arrive in order, and are those of a request that is alone with its own KV. */
  TOKENS,
  /** An output that came is kept, unless a failure or a reset of the cache has made it void. */
  OUTPUTS_KEPT,
  /** A request ends at the token at which its stop rule ends it. */
  STOP_RULE,
  /** A session's turns end once each, in order, and begin with what is computed and an input. */
  TURNS,
  /** The wait times of an outcome, by reason, are those of the events. */
  WAITS_ADD_UP,
  /** Where requests can progress, some request does; and at the end all of them end. */
  PROGRESS,
  /**
   * For want of blocks goes whom the queue's own rule names, or who has computed more than before
   * it was preempted last; and it keeps nothing.
   */
  VICTIMS,
  /** Plans are within the limits of the configuration. */
  LIMITS,
  /** Counters and lists agree with what callers and events have seen. */
  BOOKS,
  /** No method of the engine throws, and no fault but the executor's ends it. */
  ENGINE_LIVES,
  /** What a record of the run tells is what has happened, whatever its disk did. */
  RECORDED,
  /** The same scenario does the same again, to the byte. */
  SAME_AGAIN
}
