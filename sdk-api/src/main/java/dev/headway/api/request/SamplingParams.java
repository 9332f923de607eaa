package dev.headway.api.request;

/**
 * Sampling parameters of a request. The scheduler passes them to the executor unread.
 *
 * @param temperature >= 0; 0 means greedy
 * @param topP in (0, 1]; 1 switches the filter off
 * @param topK >= 0; 0 switches the filter off
 * @param minP in [0, 1]; 0 switches the filter off
 * @param repetitionPenalty > 0; 1 switches it off
 * @param presencePenalty 0 switches it off
 * @param frequencyPenalty 0 switches it off
 * @param seed equal seeds give equal tokens on the same executor
 * @param logprobs which log-probabilities come with each token: {@link #NO_LOGPROBS}, 0 for those
 *     of the tokens picked, n for those of the n most probable too; see {@code
 *     TokenListener.onLogprobs}
 */
public record SamplingParams(
    float temperature,
    float topP,
    int topK,
    float minP,
    float repetitionPenalty,
    float presencePenalty,
    float frequencyPenalty,
    long seed,
    int logprobs) {

  /** No log-probabilities are returned; this adds no cost. */
  public static final int NO_LOGPROBS = -1;

  /** The most probable token, always. */
  public static final SamplingParams GREEDY = new SamplingParams(0f, 1f, 0, 0f, 1f, 0f, 0f, 0L);

  /** Validates the components. */
  public SamplingParams {
    require(temperature >= 0 && Float.isFinite(temperature), "temperature", ">= 0", temperature);
    require(topP > 0 && topP <= 1, "topP", "in (0, 1]", topP);
    require(topK >= 0, "topK", ">= 0", topK);
    require(minP >= 0 && minP <= 1, "minP", "in [0, 1]", minP);
    require(
        repetitionPenalty > 0 && Float.isFinite(repetitionPenalty),
        "repetitionPenalty",
        "> 0",
        repetitionPenalty);
    require(Float.isFinite(presencePenalty), "presencePenalty", "finite", presencePenalty);
    require(Float.isFinite(frequencyPenalty), "frequencyPenalty", "finite", frequencyPenalty);
    if (logprobs < NO_LOGPROBS) {
      throw new IllegalArgumentException("logprobs must be >= -1: logprobs=" + logprobs);
    }
  }

  /** Samples as the canonical constructor, without log-probabilities. */
  public SamplingParams(
      float temperature,
      float topP,
      int topK,
      float minP,
      float repetitionPenalty,
      float presencePenalty,
      float frequencyPenalty,
      long seed) {
    this(
        temperature,
        topP,
        topK,
        minP,
        repetitionPenalty,
        presencePenalty,
        frequencyPenalty,
        seed,
        NO_LOGPROBS);
  }

  /** Returns these parameters with another choice of log-probabilities. */
  public SamplingParams withLogprobs(int logprobs) {
    return new SamplingParams(
        temperature,
        topP,
        topK,
        minP,
        repetitionPenalty,
        presencePenalty,
        frequencyPenalty,
        seed,
        logprobs);
  }

  /** Returns these parameters with another seed. */
  public SamplingParams withSeed(long seed) {
    return new SamplingParams(
        temperature,
        topP,
        topK,
        minP,
        repetitionPenalty,
        presencePenalty,
        frequencyPenalty,
        seed,
        logprobs);
  }

  /** Whether tokens come with log-probabilities. */
  public boolean wantsLogprobs() {
    return logprobs != NO_LOGPROBS;
  }

  private static void require(boolean holds, String name, String rule, double value) {
    if (!holds) {
      throw new IllegalArgumentException(name + " must be " + rule + ": " + name + "=" + value);
    }
  }
}
