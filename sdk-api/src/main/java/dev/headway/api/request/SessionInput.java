package dev.headway.api.request;

import java.util.Objects;

/**
 * Further input of a session: what its next turn begins with, and when that turn ends. Immutable,
 * safe to share between threads.
 */
public final class SessionInput {

  private final int[] tokenIds;
  private final StopRule stopRule;

  private SessionInput(int[] tokenIds, StopRule stopRule) {
    this.tokenIds = tokenIds;
    this.stopRule = stopRule;
  }

  /**
   * Returns an input.
   *
   * @param stopRule when the turn that it begins ends; {@code maxTokens} counts the outputs of that
   *     turn
   * @param tokenIds at least one token; copied
   * @throws IllegalArgumentException if there is no token, or one is negative
   */
  public static SessionInput of(StopRule stopRule, int... tokenIds) {
    if (tokenIds.length == 0) {
      throw new IllegalArgumentException(
          "the input of a session must have at least one token: tokens=0");
    }
    for (int position = 0; position < tokenIds.length; position++) {
      if (tokenIds[position] < 0) {
        throw new IllegalArgumentException(
            "input token ids must be >= 0: position="
                + position
                + ", tokenId="
                + tokenIds[position]);
      }
    }
    return new SessionInput(tokenIds.clone(), Objects.requireNonNull(stopRule, "stopRule"));
  }

  /** Number of tokens, >= 1. */
  public int tokens() {
    return tokenIds.length;
  }

  /** Returns the token at {@code position} in [0, tokens). */
  public int tokenId(int position) {
    return tokenIds[position];
  }

  /** Copies all tokens to {@code target}, from {@code offset} on. */
  public void copyTokenIds(int[] target, int offset) {
    System.arraycopy(tokenIds, 0, target, offset, tokenIds.length);
  }

  /** When the turn ends. */
  public StopRule stopRule() {
    return stopRule;
  }

  @Override
  public String toString() {
    return "SessionInput[tokens=" + tokenIds.length + ", " + stopRule + "]";
  }
}
