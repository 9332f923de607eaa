package dev.headway.api.probe;

import java.util.Locale;

/**
 * Stages of a request in the server outside the engine, in the order in which they happen. The part
 * inside the engine, from {@code queued} to {@code finished}, is reported by the other events of
 * {@link Probe}.
 *
 * <p>Names are vLLM's where it has one; the instants it stamps too late are defined here by what
 * has happened, not by a position in the code.
 */
public enum JourneyStage {
  /** The request was read, before anything was done with it: no templating, no tokenising. */
  ARRIVED,
  /** Tokenising begins. */
  TOKENIZE_STARTED,
  /** Tokenising is done. */
  TOKENIZE_ENDED,
  /** The engine has accepted the request: {@code submit} has returned a handle that is not done. */
  HANDOFF_TO_CORE,
  /** The first output reached the server's own code. */
  FIRST_RESPONSE_FROM_CORE,
  /** The last byte of the answer was handed to the transport. Ends the journey. */
  DEPARTED,
  /**
   * The answer was not completed, whatever the request's outcome in the engine. Ends the journey.
   */
  ABORTED;

  /** The word used in journals and files: lower case, with underscores. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Whether nothing comes after it. */
  public boolean isTerminal() {
    return this == DEPARTED || this == ABORTED;
  }
}
