package dev.headway.simulation.workload;

import org.jspecify.annotations.Nullable;

/** Which conversations of a ShareGPT file are requests: the rules of {@code vllm bench serve}. */
public final class ShareGptFilter {
  private static final int CHARACTERS_PER_TOKEN = 4;
  private static final int LEAST_TOKENS = 4;
  private static final int LONGEST_PROMPT = 1_024;
  private static final int LONGEST_TOTAL = 2_048;

  private ShareGptFilter() {}

  /** Tokens of a text: a quarter of its characters, since there is no tokenizer here. */
  public static int tokens(String text) {
    return Math.ceilDiv(text.length(), CHARACTERS_PER_TOKEN);
  }

  /**
   * Why a conversation is no request.
   *
   * @param turns how many it has
   * @param inputTokens of the first
   * @param outputTokens of the second, or those that every request is to generate
   * @param isFixed whether {@code outputTokens} are not those of the conversation
   * @return null if it is one
   */
  public static @Nullable LeftOut reason(
      int turns, int inputTokens, int outputTokens, boolean isFixed) {
    if (turns < 2) {
      return LeftOut.FEW_TURNS;
    }
    if (inputTokens < LEAST_TOKENS || (!isFixed && outputTokens < LEAST_TOKENS)) {
      return LeftOut.SHORT;
    }
    return inputTokens > LONGEST_PROMPT || inputTokens + outputTokens > LONGEST_TOTAL
        ? LeftOut.LONG
        : null;
  }
}
