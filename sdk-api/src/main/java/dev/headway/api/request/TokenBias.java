package dev.headway.api.request;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/**
 * Tokens that are made more probable, less probable or impossible: OpenAI's {@code logit_bias} and
 * vLLM's {@code bad_words}. Immutable; any thread; reading allocates nothing.
 */
public final class TokenBias {

  /** Every token as the model has it. */
  public static final TokenBias NONE = new TokenBias(new int[0], new float[0], new int[0][]);

  private final int[] tokenIds;
  private final float[] biases;
  private final int[][] bans;

  private TokenBias(int[] tokenIds, float[] biases, int[][] bans) {
    this.tokenIds = tokenIds;
    this.biases = biases;
    this.bans = bans;
  }

  /**
   * Returns this with other biases, in place of those it had.
   *
   * @param biases what is added to the logit of a token, by its id
   * @throws IllegalArgumentException if an id is negative or a bias is not finite
   */
  public TokenBias withBiases(Map<Integer, Float> biases) {
    final int[] ids = new int[biases.size()];
    final float[] added = new float[ids.length];
    int size = 0;
    for (Map.Entry<Integer, Float> entry : new TreeMap<>(biases).entrySet()) {
      if (entry.getKey() < 0 || !Float.isFinite(entry.getValue())) {
        throw new IllegalArgumentException(
            "a bias must be finite and of a token id >= 0: tokenId="
                + entry.getKey()
                + ", bias="
                + entry.getValue());
      }
      ids[size] = entry.getKey();
      added[size++] = entry.getValue();
    }
    return new TokenBias(ids, added, bans);
  }

  /**
   * Returns this with one more sequence that the outputs must not have: its last token is
   * impossible where the outputs end with those in front of it.
   *
   * @param sequence at least one token id; copied
   * @throws IllegalArgumentException if it is empty or an id is negative
   */
  public TokenBias withBan(int... sequence) {
    if (sequence.length == 0 || Arrays.stream(sequence).anyMatch(id -> id < 0)) {
      throw new IllegalArgumentException(
          "a banned sequence must have token ids, all >= 0: sequence=" + Arrays.toString(sequence));
    }
    final int[][] more = Arrays.copyOf(bans, bans.length + 1);
    more[bans.length] = sequence.clone();
    return new TokenBias(tokenIds, biases, more);
  }

  /** Whether it changes nothing. */
  public boolean isNone() {
    return tokenIds.length == 0 && bans.length == 0;
  }

  /** How many tokens have a bias. */
  public int biasedTokens() {
    return tokenIds.length;
  }

  /** A token with a bias, by its place in [0, biasedTokens); in order of ids. */
  public int tokenId(int index) {
    return tokenIds[index];
  }

  /** What is added to its logit. */
  public float bias(int index) {
    return biases[index];
  }

  /** How many sequences are banned. */
  public int bans() {
    return bans.length;
  }

  /** Tokens of a banned sequence, >= 1. */
  public int banLength(int index) {
    return bans[index].length;
  }

  /** A token of a banned sequence. */
  public int banTokenId(int index, int place) {
    return bans[index][place];
  }

  /** The largest token id in it, or -1. */
  public int largestTokenId() {
    int largest = tokenIds.length == 0 ? -1 : tokenIds[tokenIds.length - 1];
    for (int[] ban : bans) {
      for (int id : ban) {
        largest = Math.max(largest, id);
      }
    }
    return largest;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof TokenBias that
        && Arrays.equals(tokenIds, that.tokenIds)
        && Arrays.equals(biases, that.biases)
        && Arrays.deepEquals(bans, that.bans);
  }

  @Override
  public int hashCode() {
    return 31 * (31 * Arrays.hashCode(tokenIds) + Arrays.hashCode(biases))
        + Arrays.deepHashCode(bans);
  }

  @Override
  public String toString() {
    return "TokenBias[biasedTokens=" + tokenIds.length + ", bans=" + bans.length + "]";
  }
}
