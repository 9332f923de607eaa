package dev.headway.api.request;

/**
 * How the executor picks a token. The scheduler never looks at this; it is handed through.
 *
 * @param temperature >= 0; 0 means greedy
 * @param topP in (0, 1]; 1 switches the filter off
 * @param topK >= 0; 0 switches the filter off
 * @param minP in [0, 1]; 0 switches the filter off
 * @param repetitionPenalty > 0; 1 switches it off
 * @param presencePenalty 0 switches it off
 * @param frequencyPenalty 0 switches it off
 * @param seed equal seeds give equal tokens on the same executor
 */
public record SamplingParams(
    float temperature,
    float topP,
    int topK,
    float minP,
    float repetitionPenalty,
    float presencePenalty,
    float frequencyPenalty,
    long seed) {

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
  }

  private static void require(boolean holds, String name, String rule, double value) {
    if (!holds) {
      throw new IllegalArgumentException(name + " must be " + rule + ": " + name + "=" + value);
    }
  }
}
