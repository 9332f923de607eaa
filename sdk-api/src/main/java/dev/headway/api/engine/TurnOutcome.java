package dev.headway.api.engine;

import dev.headway.api.request.FinishReason;

/** How a turn of a session ended that goes on. Immutable. */
public final class TurnOutcome {

  private final int index;
  private final FinishReason reason;
  private final int[] outputTokenIds;
  private final long endedNs;

  /**
   * Creates an outcome; for engines.
   *
   * @param index position among the turns, from 0
   * @param outputTokenIds not copied
   */
  public TurnOutcome(int index, FinishReason reason, int[] outputTokenIds, long endedNs) {
    this.index = index;
    this.reason = reason;
    this.outputTokenIds = outputTokenIds;
    this.endedNs = endedNs;
  }

  /** Position among the session's turns, from 0: turn n is that of the nth input appended. */
  public int index() {
    return index;
  }

  /** How a request that is no session would have ended. */
  public FinishReason reason() {
    return reason;
  }

  /** Tokens generated in the turn. */
  public int outputTokens() {
    return outputTokenIds.length;
  }

  /** Returns a copy of the tokens generated in the turn. */
  public int[] outputTokenIds() {
    return outputTokenIds.clone();
  }

  /** Instant of its end, of the engine's clock. */
  public long endedNs() {
    return endedNs;
  }

  @Override
  public String toString() {
    return "TurnOutcome[index="
        + index
        + ", reason="
        + reason
        + ", outputTokens="
        + outputTokenIds.length
        + "]";
  }
}
