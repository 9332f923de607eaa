package dev.headway.api.request;

import java.util.Objects;

/**
 * Ends a request that repeats itself: its last {@code p} outputs occur {@code minCount} times in a
 * row, for some pattern length {@code p} from {@code minPatternTokens} to {@code maxPatternTokens}.
 * Immutable; any thread.
 */
public final class RepetitionRule {

  private final int maxPatternTokens;
  private final int minPatternTokens;
  private final int minCount;

  private RepetitionRule(Builder builder) {
    maxPatternTokens = builder.maxPatternTokens;
    minPatternTokens = builder.minPatternTokens;
    minCount = builder.minCount;
  }

  /** Starts a rule; {@code maxPatternTokens} must be set. */
  public static Builder builder() {
    return new Builder();
  }

  /** Longest pattern looked for, in tokens, >= minPatternTokens. */
  public int maxPatternTokens() {
    return maxPatternTokens;
  }

  /** Shortest pattern looked for, in tokens, >= 1. */
  public int minPatternTokens() {
    return minPatternTokens;
  }

  /** Occurrences in a row that end the request, >= 2. */
  public int minCount() {
    return minCount;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof RepetitionRule that
        && maxPatternTokens == that.maxPatternTokens
        && minPatternTokens == that.minPatternTokens
        && minCount == that.minCount;
  }

  @Override
  public int hashCode() {
    return Objects.hash(maxPatternTokens, minPatternTokens, minCount);
  }

  @Override
  public String toString() {
    return "RepetitionRule[maxPatternTokens="
        + maxPatternTokens
        + ", minPatternTokens="
        + minPatternTokens
        + ", minCount="
        + minCount
        + "]";
  }

  /** Collects the figures of a rule. Not thread-safe. */
  public static final class Builder {

    private int maxPatternTokens;
    private int minPatternTokens = 1;
    private int minCount = 2;

    private Builder() {}

    /** Longest pattern looked for, in tokens, >= minPatternTokens. */
    public Builder maxPatternTokens(int tokens) {
      this.maxPatternTokens = tokens;
      return this;
    }

    /** Shortest pattern looked for, in tokens, >= 1; 1 unless set. */
    public Builder minPatternTokens(int tokens) {
      this.minPatternTokens = tokens;
      return this;
    }

    /** Occurrences in a row that end the request, >= 2; 2 unless set. */
    public Builder minCount(int occurrences) {
      this.minCount = occurrences;
      return this;
    }

    /**
     * Returns the rule.
     *
     * @throws IllegalArgumentException naming the figures and the constraint
     */
    public RepetitionRule build() {
      if (minPatternTokens < 1 || maxPatternTokens < minPatternTokens || minCount < 2) {
        throw new IllegalArgumentException(
            "a repetition rule must have 1 <= minPatternTokens <= maxPatternTokens and minCount >="
                + " 2: maxPatternTokens="
                + maxPatternTokens
                + ", minPatternTokens="
                + minPatternTokens
                + ", minCount="
                + minCount);
      }
      return new RepetitionRule(this);
    }
  }
}
