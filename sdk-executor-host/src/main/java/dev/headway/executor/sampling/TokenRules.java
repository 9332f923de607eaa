package dev.headway.executor.sampling;

import dev.headway.api.request.SamplingParams;
import dev.headway.api.request.StopRule;
import dev.headway.api.request.TokenBias;

/**
 * What a request says of single tokens, in vLLM's order: banned sequences, biases, and the tokens
 * that would end it before its {@code minTokens}. Stateless; any thread; allocates nothing.
 */
public final class TokenRules {

  private TokenRules() {}

  /** Whether they depend on which tokens the outputs have. */
  public static boolean readOutputs(SamplingParams params) {
    return params.tokenBias().bans() > 0;
  }

  /**
   * Changes logits in place.
   *
   * @param tokens prompt, then outputs; only looked at if {@link #readOutputs}
   * @param promptTokens tokens of the prompt
   * @param knownTokens tokens of prompt and outputs
   */
  public static void apply(
      float[] logits,
      SamplingParams params,
      StopRule rule,
      int[] tokens,
      int promptTokens,
      int knownTokens) {
    final TokenBias bias = params.tokenBias();
    for (int ban = 0; ban < bias.bans(); ban++) {
      if (isBegun(bias, ban, tokens, promptTokens, knownTokens)) {
        logits[bias.banTokenId(ban, bias.banLength(ban) - 1)] = Float.NEGATIVE_INFINITY;
      }
    }
    for (int i = 0; i < bias.biasedTokens(); i++) {
      logits[bias.tokenId(i)] += bias.bias(i);
    }
    if (forbidEnds(rule, promptTokens, knownTokens)) {
      for (int i = 0; i < rule.endTokens(); i++) {
        if (rule.endTokenId(i) < logits.length) {
          logits[rule.endTokenId(i)] = Float.NEGATIVE_INFINITY;
        }
      }
    }
  }

  /** Whether the ends of a request are still impossible for the token at a position. */
  public static boolean forbidEnds(StopRule rule, int promptTokens, int position) {
    return position - promptTokens < rule.minTokens() && rule.endTokens() > 0;
  }

  /** What a request fails with for which rules and grammar together leave no token. */
  public static IllegalArgumentException nothingLeft(int position) {
    return new IllegalArgumentException(
        "grammar, banned sequences and min_tokens together must leave a token to sample: position="
            + position
            + "; each leaves some, but none is left by all of them");
  }

  /** Whether the outputs end with all of a sequence but its last token. */
  private static boolean isBegun(
      TokenBias bias, int ban, int[] tokens, int promptTokens, int knownTokens) {
    final int begun = bias.banLength(ban) - 1;
    if (begun > knownTokens - promptTokens) {
      return false;
    }
    for (int i = 0; i < begun; i++) {
      if (tokens[knownTokens - begun + i] != bias.banTokenId(ban, i)) {
        return false;
      }
    }
    return true;
  }
}
