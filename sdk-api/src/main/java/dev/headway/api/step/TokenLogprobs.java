package dev.headway.api.step;

import java.util.Arrays;

/**
 * Log-probabilities of a sampled token and of the most probable ones. Natural logarithms of the
 * softmax of the model's logits, before temperature, penalties and filters, as vLLM's {@code
 * raw_logprobs}.
 *
 * <p>The arrays are not copied, neither in nor out: they must not be changed once passed in.
 * Equality is that of their contents.
 *
 * @param logprob of the sampled token, at most 0 up to rounding; negative infinity if it was
 *     impossible
 * @param rank place of the sampled token among all, from 1: how many were at least as probable
 * @param topIds the most probable tokens, most probable first; as many as were asked for, fewer if
 *     the vocabulary is smaller. The sampled token need not be among them
 * @param topLogprobs those of {@code topIds}, in the same order
 */
@SuppressWarnings("ArrayRecordComponent") // handed through once for each token: no copies
public record TokenLogprobs(float logprob, int rank, int[] topIds, float[] topLogprobs) {

  /** Validates the components. */
  public TokenLogprobs {
    if (Float.isNaN(logprob)) {
      throw new IllegalArgumentException("logprob must be a number: logprob=NaN");
    }
    if (rank < 1) {
      throw new IllegalArgumentException("rank must be >= 1: rank=" + rank);
    }
    if (topIds.length != topLogprobs.length) {
      throw new IllegalArgumentException(
          "topIds and topLogprobs must be of one length: topIds="
              + topIds.length
              + ", topLogprobs="
              + topLogprobs.length);
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof TokenLogprobs that
        && Float.compare(logprob, that.logprob) == 0
        && rank == that.rank
        && Arrays.equals(topIds, that.topIds)
        && Arrays.equals(topLogprobs, that.topLogprobs);
  }

  @Override
  public int hashCode() {
    return 31 * (31 * Float.hashCode(logprob) + Arrays.hashCode(topIds))
        + Arrays.hashCode(topLogprobs);
  }

  @Override
  public String toString() {
    return "TokenLogprobs[logprob="
        + logprob
        + ", rank="
        + rank
        + ", topIds="
        + Arrays.toString(topIds)
        + ", topLogprobs="
        + Arrays.toString(topLogprobs)
        + "]";
  }
}
