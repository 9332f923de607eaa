package dev.headway.api.request;

import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * When generation ends. Tested after each generated token, in this order (vLLM 0.28): fewer than
 * {@code minTokens} outputs: go on; the end-of-sequence token unless ignored; a stop token; the
 * context or {@code maxTokens} is full; a repetition.
 *
 * <p>Immutable.
 */
public final class StopRule {

  private static final int[] NONE = {};

  private final int maxTokens;
  private final int minTokens;
  private final OptionalInt eosTokenId;
  private final boolean eosIgnored;
  private final int[] stopTokenIds;
  private final @Nullable RepetitionRule repetition;

  private StopRule(
      int maxTokens,
      int minTokens,
      OptionalInt eosTokenId,
      boolean eosIgnored,
      int[] stopTokenIds,
      @Nullable RepetitionRule repetition) {
    this.maxTokens = maxTokens;
    this.minTokens = minTokens;
    this.eosTokenId = eosTokenId;
    this.eosIgnored = eosIgnored;
    this.stopTokenIds = stopTokenIds;
    this.repetition = repetition;
  }

  /**
   * Returns a rule that ends after {@code maxTokens} outputs.
   *
   * @throws IllegalArgumentException unless {@code maxTokens >= 1}
   */
  public static StopRule maxTokens(int maxTokens) {
    if (maxTokens < 1) {
      throw new IllegalArgumentException("maxTokens must be >= 1: maxTokens=" + maxTokens);
    }
    return new StopRule(maxTokens, 0, OptionalInt.empty(), false, NONE, null);
  }

  /**
   * Returns this rule with a floor: nothing ends the request before {@code minTokens} outputs.
   *
   * @throws IllegalArgumentException unless {@code 0 <= minTokens <= maxTokens}
   */
  public StopRule withMinTokens(int minTokens) {
    if (minTokens < 0 || minTokens > maxTokens) {
      throw new IllegalArgumentException(
          "minTokens must be in [0, maxTokens]: minTokens="
              + minTokens
              + ", maxTokens="
              + maxTokens);
    }
    return new StopRule(maxTokens, minTokens, eosTokenId, eosIgnored, stopTokenIds, repetition);
  }

  /**
   * Returns this rule with the model's end-of-sequence token.
   *
   * @throws IllegalArgumentException if it is negative
   */
  public StopRule withEosTokenId(int tokenId) {
    if (tokenId < 0) {
      throw new IllegalArgumentException("eosTokenId must be >= 0: eosTokenId=" + tokenId);
    }
    return new StopRule(
        maxTokens, minTokens, OptionalInt.of(tokenId), eosIgnored, stopTokenIds, repetition);
  }

  /**
   * Returns this rule ignoring the end-of-sequence token. A stop token with the same id still ends
   * it.
   */
  public StopRule ignoringEos() {
    return new StopRule(maxTokens, minTokens, eosTokenId, true, stopTokenIds, repetition);
  }

  /**
   * Returns this rule with other token ids that end the request, in place of those it had; the
   * array is copied.
   *
   * @throws IllegalArgumentException if one is negative
   */
  public StopRule withStopTokenIds(int... tokenIds) {
    for (int position = 0; position < tokenIds.length; position++) {
      if (tokenIds[position] < 0) {
        throw new IllegalArgumentException(
            "stop token ids must be >= 0: position="
                + position
                + ", tokenId="
                + tokenIds[position]);
      }
    }
    return new StopRule(maxTokens, minTokens, eosTokenId, eosIgnored, tokenIds.clone(), repetition);
  }

  /** Returns this rule ending repetitions too. */
  public StopRule withRepetitionRule(RepetitionRule rule) {
    return new StopRule(maxTokens, minTokens, eosTokenId, eosIgnored, stopTokenIds, rule);
  }

  /** When a repetition ends the request. */
  public Optional<RepetitionRule> repetitionRule() {
    return Optional.ofNullable(repetition);
  }

  /** Most outputs, >= 1. */
  public int maxTokens() {
    return maxTokens;
  }

  /**
   * Outputs before which nothing ends the request, in [0, maxTokens]: executors that compute logits
   * on the host make the tokens that would end it impossible until then.
   */
  public int minTokens() {
    return minTokens;
  }

  /** Whether any token can end the request before {@code maxTokens}. */
  public boolean endsOnTokens() {
    return stopTokenIds.length > 0 || (eosTokenId.isPresent() && !eosIgnored);
  }

  /** Whether {@code tokenId} is the end-of-sequence token and ends the request. */
  public boolean isEos(int tokenId) {
    return !eosIgnored && eosTokenId.isPresent() && eosTokenId.getAsInt() == tokenId;
  }

  /** Whether {@code tokenId} is one of the stop tokens. */
  public boolean isStopToken(int tokenId) {
    for (int stop : stopTokenIds) {
      if (stop == tokenId) {
        return true;
      }
    }
    return false;
  }

  /** How many tokens end the request, the end-of-sequence token included unless it is ignored. */
  public int endTokens() {
    return stopTokenIds.length + (eosTokenId.isPresent() && !eosIgnored ? 1 : 0);
  }

  /** A token that ends the request, by its place in [0, endTokens). */
  public int endTokenId(int index) {
    return index < stopTokenIds.length ? stopTokenIds[index] : eosTokenId.getAsInt();
  }

  @Override
  public String toString() {
    return "StopRule[maxTokens="
        + maxTokens
        + ", minTokens="
        + minTokens
        + ", eosTokenId="
        + eosTokenId
        + ", eosIgnored="
        + eosIgnored
        + ", stopTokenIds="
        + Arrays.toString(stopTokenIds)
        + (repetition == null ? "" : ", " + repetition)
        + "]";
  }
}
