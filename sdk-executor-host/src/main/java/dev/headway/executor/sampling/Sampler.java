package dev.headway.executor.sampling;

import dev.headway.api.request.SamplingParams;

/** Picks a token from logits to which {@link Penalties} were applied. One thread. */
public final class Sampler {

  private final TokenFilter filter;
  private final GumbelNoise noise = new GumbelNoise();

  /** Makes scratch space for a vocabulary. */
  public Sampler(int vocabularySize) {
    filter = new TokenFilter(vocabularySize);
  }

  /**
   * Returns the id of the token picked. Allocates nothing.
   *
   * @param logits one per token of the vocabulary, no NaN, at least one finite; overwritten unless
   *     greedy
   * @param position place in the sequence of the token to be sampled: the number of tokens known
   */
  public int sample(float[] logits, SamplingParams params, int position) {
    final int likeliest = largest(logits);
    if (params.temperature() == 0 || Float.isInfinite(logits[likeliest] / params.temperature())) {
      return likeliest;
    }
    for (int token = 0; token < logits.length; token++) {
      logits[token] /= params.temperature();
    }
    filter.apply(logits, params);
    for (int token = 0; token < logits.length; token++) {
      if (logits[token] != Float.NEGATIVE_INFINITY) {
        logits[token] += noise.of(params.seed(), token, position);
      }
    }
    return largest(logits);
  }

  /** The index of the largest value, the lowest of equals. */
  static int largest(float[] values) {
    int best = 0;
    for (int i = 1; i < values.length; i++) {
      if (values[i] > values[best]) {
        best = i;
      }
    }
    return best;
  }
}
