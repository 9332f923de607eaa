package dev.headway.api.request;

/**
 * Ends a request that repeats itself: its last {@code p} outputs occur {@code minCount} times in a
 * row, for some pattern length {@code p} from {@code minPatternTokens} to {@code maxPatternTokens}.
 *
 * @param maxPatternTokens longest pattern looked for, in tokens, >= minPatternTokens
 * @param minPatternTokens shortest, in tokens, >= 1
 * @param minCount occurrences in a row that end the request, >= 2
 */
public record RepetitionRule(int maxPatternTokens, int minPatternTokens, int minCount) {

  /** Validates the components. */
  public RepetitionRule {
    if (minPatternTokens < 1 || maxPatternTokens < minPatternTokens || minCount < 2) {
      throw new IllegalArgumentException(
          "a repetition rule must have 1 <= minPatternTokens <= maxPatternTokens and minCount >= 2:"
              + " maxPatternTokens="
              + maxPatternTokens
              + ", minPatternTokens="
              + minPatternTokens
              + ", minCount="
              + minCount);
    }
  }
}
