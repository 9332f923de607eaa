package dev.headway.executor.sampling;

import dev.headway.api.step.TokenLogprobs;
import java.util.Arrays;

/**
 * Log-probabilities of a token and of the likeliest ones: {@code logit - ln(sum of exp(logits))},
 * summed in double. Among equals the lowest id comes first; the rank counts tokens that are at
 * least as likely, as vLLM's.
 */
public final class Logprobs {

  private Logprobs() {}

  /**
   * Any thread; allocates the answer.
   *
   * @param rawLogits as the model made them, no NaN, at least one finite; not changed
   * @param token the token sampled
   * @param top how many of the likeliest to report, >= 0; at most the whole vocabulary
   */
  public static TokenLogprobs of(float[] rawLogits, int token, int top) {
    final double logSum = logSumOfExponentials(rawLogits);
    int rank = 0;
    for (float logit : rawLogits) {
      if (logit >= rawLogits[token]) {
        rank++;
      }
    }
    final int[] topIds = largest(rawLogits, Math.min(top, rawLogits.length));
    final float[] topLogprobs = new float[topIds.length];
    for (int i = 0; i < topIds.length; i++) {
      topLogprobs[i] = (float) (rawLogits[topIds[i]] - logSum);
    }
    return new TokenLogprobs((float) (rawLogits[token] - logSum), rank, topIds, topLogprobs);
  }

  private static double logSumOfExponentials(float[] logits) {
    final float max = logits[Sampler.largest(logits)];
    double sum = 0;
    for (float logit : logits) {
      sum += Math.exp((double) logit - max);
    }
    return max + Math.log(sum);
  }

  /** Insertion into a short sorted list; later ids go behind equals. */
  private static int[] largest(float[] logits, int count) {
    final int[] ids = new int[count];
    int size = 0;
    for (int id = 0; id < logits.length; id++) {
      int place = size;
      while (place > 0 && logits[id] > logits[ids[place - 1]]) {
        place--;
      }
      if (place < count) {
        size = Math.min(size + 1, count);
        System.arraycopy(ids, place, ids, place + 1, size - 1 - place);
        ids[place] = id;
      }
    }
    return Arrays.copyOf(ids, size);
  }
}
