package dev.headway.api.request;

import java.util.List;
import java.util.Objects;

/**
 * Further input of a session: what its next turn begins with, and when that turn ends. Immutable,
 * safe to share between threads.
 */
public final class SessionInput {

  private final int[] tokenIds;
  private final StopRule stopRule;
  private final List<MultiModalItem> items;

  private SessionInput(int[] tokenIds, StopRule stopRule, List<MultiModalItem> items) {
    this.tokenIds = tokenIds;
    this.stopRule = stopRule;
    this.items = items;
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
    return new SessionInput(
        tokenIds.clone(), Objects.requireNonNull(stopRule, "stopRule"), List.of());
  }

  /**
   * The same with images and the like.
   *
   * @param inOrder in the order of their places; their offsets count from the first token of this
   *     input; copied
   * @throws IllegalArgumentException if one begins before the one in front ends, or ends behind the
   *     input
   */
  public SessionInput withItems(List<MultiModalItem> inOrder) {
    MultiModalItem.requireInside("input: ", inOrder, tokenIds.length);
    return new SessionInput(tokenIds, stopRule, List.copyOf(inOrder));
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

  /**
   * Its images and the like, whose offsets count from its first token; empty for none. Immutable.
   */
  public List<MultiModalItem> items() {
    return items;
  }

  /** When the turn ends. */
  public StopRule stopRule() {
    return stopRule;
  }

  @Override
  public String toString() {
    final String withItems = items.isEmpty() ? "" : ", items=" + items.size();
    return "SessionInput[tokens=" + tokenIds.length + withItems + ", " + stopRule + "]";
  }
}
