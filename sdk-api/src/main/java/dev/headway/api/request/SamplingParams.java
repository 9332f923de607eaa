package dev.headway.api.request;

import java.util.Objects;
import java.util.OptionalInt;

/**
 * Sampling parameters of a request. The scheduler passes them to the executor unread. Immutable;
 * any thread.
 *
 * <pre>{@code
 * SamplingParams.builder().temperature(0.7f).topP(0.95f).build()
 * }</pre>
 */
public final class SamplingParams {

  /** The most probable token, always. */
  public static final SamplingParams GREEDY = builder().build();

  /** Temperatures below this are 0. */
  static final float GREEDY_BELOW = 1e-5f;

  private final float temperature;
  private final float topP;
  private final int topK;
  private final float minP;
  private final float repetitionPenalty;
  private final float presencePenalty;
  private final float frequencyPenalty;
  private final long seed;
  private final OptionalInt logprobs;
  private final TokenBias tokenBias;

  private SamplingParams(Builder builder) {
    temperature = builder.temperature;
    topP = builder.topP;
    topK = builder.topK;
    minP = builder.minP;
    repetitionPenalty = builder.repetitionPenalty;
    presencePenalty = builder.presencePenalty;
    frequencyPenalty = builder.frequencyPenalty;
    seed = builder.seed;
    logprobs = builder.logprobs;
    tokenBias = builder.tokenBias;
  }

  /** Starts with greedy sampling: every filter and penalty off. */
  public static Builder builder() {
    return new Builder();
  }

  /** Starts from these parameters. */
  public Builder toBuilder() {
    final Builder builder = new Builder();
    builder.temperature = temperature;
    builder.topP = topP;
    builder.topK = topK;
    builder.minP = minP;
    builder.repetitionPenalty = repetitionPenalty;
    builder.presencePenalty = presencePenalty;
    builder.frequencyPenalty = frequencyPenalty;
    builder.seed = seed;
    builder.logprobs = logprobs;
    builder.tokenBias = tokenBias;
    return builder;
  }

  /** Divisor of the logits, >= 0; 0 means greedy. */
  public float temperature() {
    return temperature;
  }

  /** Probability mass that the tokens are sampled from, in (0, 1]; 1 switches the filter off. */
  public float topP() {
    return topP;
  }

  /** How many of the most probable tokens are sampled from, >= 0; 0 switches the filter off. */
  public int topK() {
    return topK;
  }

  /** Least probability, relative to the most probable token's, in [0, 1]; 0 switches it off. */
  public float minP() {
    return minP;
  }

  /** Divisor of the logits of tokens seen before, > 0; 1 switches it off. */
  public float repetitionPenalty() {
    return repetitionPenalty;
  }

  /** Subtracted from the logits of tokens generated before; 0 switches it off. */
  public float presencePenalty() {
    return presencePenalty;
  }

  /** Subtracted for each time that a token was generated before; 0 switches it off. */
  public float frequencyPenalty() {
    return frequencyPenalty;
  }

  /** Equal seeds give equal tokens on the same executor. */
  public long seed() {
    return seed;
  }

  /**
   * How many of the most probable tokens come with each token, with their log-probabilities; 0 for
   * that of the sampled token only, empty for none. See {@code TokenListener.onLogprobs}.
   */
  public OptionalInt logprobs() {
    return logprobs;
  }

  /** Tokens that are made more probable, less probable or impossible; most often none. */
  public TokenBias tokenBias() {
    return tokenBias;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof SamplingParams that
        && Float.compare(temperature, that.temperature) == 0
        && Float.compare(topP, that.topP) == 0
        && topK == that.topK
        && Float.compare(minP, that.minP) == 0
        && Float.compare(repetitionPenalty, that.repetitionPenalty) == 0
        && Float.compare(presencePenalty, that.presencePenalty) == 0
        && Float.compare(frequencyPenalty, that.frequencyPenalty) == 0
        && seed == that.seed
        && logprobs.equals(that.logprobs)
        && tokenBias.equals(that.tokenBias);
  }

  @Override
  public int hashCode() {
    return Objects.hash(
        temperature,
        topP,
        topK,
        minP,
        repetitionPenalty,
        presencePenalty,
        frequencyPenalty,
        seed,
        logprobs,
        tokenBias);
  }

  @Override
  public String toString() {
    return "SamplingParams[temperature="
        + temperature
        + ", topP="
        + topP
        + ", topK="
        + topK
        + ", minP="
        + minP
        + ", repetitionPenalty="
        + repetitionPenalty
        + ", presencePenalty="
        + presencePenalty
        + ", frequencyPenalty="
        + frequencyPenalty
        + ", seed="
        + seed
        + (logprobs.isPresent() ? ", logprobs=" + logprobs.getAsInt() : "")
        + (tokenBias.isNone() ? "" : ", " + tokenBias)
        + "]";
  }

  /** Collects sampling parameters. Not thread-safe. */
  public static final class Builder {

    private float temperature;
    private float topP = 1f;
    private int topK;
    private float minP;
    private float repetitionPenalty = 1f;
    private float presencePenalty;
    private float frequencyPenalty;
    private long seed;
    private OptionalInt logprobs = OptionalInt.empty();
    private TokenBias tokenBias = TokenBias.NONE;

    private Builder() {}

    /**
     * Divisor of the logits, >= 0; 0 (greedy) unless set. Below {@value #GREEDY_BELOW} it counts as
     * 0, as in vLLM: logits divided by less may be no finite numbers.
     */
    public Builder temperature(float temperature) {
      require(temperature >= 0 && Float.isFinite(temperature), "temperature", ">= 0", temperature);
      this.temperature = temperature < GREEDY_BELOW ? 0 : temperature;
      return this;
    }

    /** Probability mass that the tokens are sampled from, in (0, 1]; 1 (off) unless set. */
    public Builder topP(float topP) {
      require(topP > 0 && topP <= 1, "topP", "in (0, 1]", topP);
      this.topP = topP;
      return this;
    }

    /** How many of the most probable tokens are sampled from, >= 0; 0 (off) unless set. */
    public Builder topK(int topK) {
      require(topK >= 0, "topK", ">= 0", topK);
      this.topK = topK;
      return this;
    }

    /** Least probability relative to the most probable token's, in [0, 1]; 0 (off) unless set. */
    public Builder minP(float minP) {
      require(minP >= 0 && minP <= 1, "minP", "in [0, 1]", minP);
      this.minP = minP;
      return this;
    }

    /** Divisor of the logits of tokens seen before, > 0; 1 (off) unless set. */
    public Builder repetitionPenalty(float penalty) {
      require(penalty > 0 && Float.isFinite(penalty), "repetitionPenalty", "> 0", penalty);
      this.repetitionPenalty = penalty;
      return this;
    }

    /** Subtracted from the logits of tokens generated before, finite; 0 (off) unless set. */
    public Builder presencePenalty(float penalty) {
      require(Float.isFinite(penalty), "presencePenalty", "finite", penalty);
      this.presencePenalty = penalty;
      return this;
    }

    /** Subtracted for each time that a token was generated, finite; 0 (off) unless set. */
    public Builder frequencyPenalty(float penalty) {
      require(Float.isFinite(penalty), "frequencyPenalty", "finite", penalty);
      this.frequencyPenalty = penalty;
      return this;
    }

    /** Equal seeds give equal tokens on the same executor; 0 unless set. */
    public Builder seed(long seed) {
      this.seed = seed;
      return this;
    }

    /**
     * Asks for log-probabilities: 0 for those of the tokens sampled, n for those of the n most
     * probable too. Unless set, none are computed, at no cost.
     */
    public Builder logprobs(int count) {
      if (count < 0) {
        throw new IllegalArgumentException("logprobs must be >= 0: logprobs=" + count);
      }
      this.logprobs = OptionalInt.of(count);
      return this;
    }

    /** Tokens that are made more probable, less probable or impossible; none unless set. */
    public Builder tokenBias(TokenBias bias) {
      this.tokenBias = bias;
      return this;
    }

    /** Makes the parameters. */
    public SamplingParams build() {
      return new SamplingParams(this);
    }

    private static void require(boolean holds, String name, String rule, double value) {
      if (!holds) {
        throw new IllegalArgumentException(name + " must be " + rule + ": " + name + "=" + value);
      }
    }
  }
}
