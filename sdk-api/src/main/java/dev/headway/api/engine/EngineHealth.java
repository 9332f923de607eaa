package dev.headway.api.engine;

/**
 * Whether an engine gets on, from the instant at which requests last made progress: a step that
 * computed something was answered, or failed. An engine without work, or paused, is idle and beats
 * all the same, so that a thread that no longer runs is noticed before a request needs it.
 * Immutable.
 *
 * @param status what to make of it
 * @param state the engine's lifecycle state
 * @param steps steps planned so far
 * @param sinceProgressNs time since the latest progress or idle beat, in ns >= 0; 0 in virtual time
 * @param heldBy what the engine thread is doing, and where in the program while it is stalled; for
 *     people
 */
public record EngineHealth(
    Status status, EngineState state, long steps, long sinceProgressNs, String heldBy) {

  /** What to make of the figures. */
  public enum Status {
    /** Nothing to do, paused, or closed. */
    IDLE,
    /** Requests are alive and made progress within the threshold. */
    PROGRESSING,
    /** The threshold is over without progress: of requests, or of the engine's own thread. */
    STALLED,
    /** The engine has failed; every handle is done. */
    FAILED
  }

  /** Whether requests sent now can be expected to be served. */
  public boolean isWell() {
    return status == Status.IDLE || status == Status.PROGRESSING;
  }
}
