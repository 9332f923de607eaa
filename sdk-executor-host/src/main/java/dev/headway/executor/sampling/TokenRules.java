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
    if (knownTokens - promptTokens < rule.minTokens()) {
      for (int i = 0; i < rule.endTokens(); i++) {
        if (rule.endTokenId(i) < logits.length) {
          logits[rule.endTokenId(i)] = Float.NEGATIVE_INFINITY;
        }
      }
    }
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
