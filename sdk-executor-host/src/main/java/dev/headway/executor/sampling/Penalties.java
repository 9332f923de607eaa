package dev.headway.executor.sampling;

import dev.headway.api.request.SamplingParams;
import java.util.Arrays;

/**
 * Penalties on tokens that a sequence has already, in the order and with the formulas of vLLM's
 * {@code apply_penalties}, in float:
 *
 * <ol>
 *   <li>repetition, tokens of prompt and outputs: {@code logit > 0 ? logit / r : logit * r}
 *   <li>frequency, tokens of the outputs: {@code logit - f * occurrences}
 *   <li>presence, tokens of the outputs: {@code logit - p}
 * </ol>
 */
public final class Penalties {

  private static final int ABSENT = -1;

  /**
   * Occurrences among the outputs, {@link dev.headway.api.Absent#ABSENT} if not in the prompt
   * either.
   */
  private final int[] occurrences;

  /** Makes scratch space for a vocabulary. */
  public Penalties(int vocabularySize) {
    occurrences = new int[vocabularySize];
    Arrays.fill(occurrences, ABSENT);
  }

  /** Whether any penalty changes anything. */
  public static boolean areOn(SamplingParams params) {
    return params.repetitionPenalty() != 1
        || params.presencePenalty() != 0
        || params.frequencyPenalty() != 0;
  }

  /**
   * Changes logits in place.
   *
   * @param tokens prompt, then outputs; ids inside the vocabulary
   * @param promptTokens tokens of the prompt
   * @param knownTokens tokens of prompt and outputs
   */
  public void apply(
      float[] logits, SamplingParams params, int[] tokens, int promptTokens, int knownTokens) {
    for (int i = 0; i < knownTokens; i++) {
      final int count = Math.max(occurrences[tokens[i]], 0);
      occurrences[tokens[i]] = i < promptTokens ? count : count + 1;
    }
    for (int i = 0; i < knownTokens; i++) {
      final int token = tokens[i];
      if (occurrences[token] != ABSENT) {
        logits[token] = penalised(logits[token], params, occurrences[token]);
        occurrences[token] = ABSENT;
      }
    }
  }

  private static float penalised(float logit, SamplingParams params, int occurrences) {
    final float repetition = params.repetitionPenalty();
    float result = logit > 0 ? logit / repetition : logit * repetition;
    if (occurrences > 0) {
      result -= params.frequencyPenalty() * occurrences;
      result -= params.presencePenalty();
    }
    return result;
  }
}
