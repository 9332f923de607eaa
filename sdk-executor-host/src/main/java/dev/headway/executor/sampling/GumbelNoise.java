package dev.headway.executor.sampling;

/**
 * Noise with a standard Gumbel distribution, {@code -ln(-ln(u))}, one value per seed, token and
 * position.
 *
 * <p>{@code u = ((w >>> 8) + 0.5) / 2^24}, where {@code w} is the first word of {@link Philox4x32}
 * with the seed as key and (token id, position, 0, 0) as counter. It needs 25 bits of mantissa near
 * 1, so {@code u} and both logarithms are doubles; only the result is rounded to float. In float,
 * the largest {@code u} would round to 1 and its noise be infinite.
 */
public final class GumbelNoise {

  private final int[] counter = new int[4];

  /** One thread's own. */
  public GumbelNoise() {}

  /**
   * Returns the noise of a token, in (-3, 18).
   *
   * @param seed the request's seed
   * @param position place in the sequence of the token to be sampled, from 0
   */
  public float of(long seed, int tokenId, int position) {
    counter[0] = tokenId;
    counter[1] = position;
    counter[2] = 0;
    counter[3] = 0;
    Philox4x32.generate(counter, seed);
    return fromWord(counter[0]);
  }

  static float fromWord(int word) {
    final double uniform = ((word >>> 8) + 0.5) * 0x1p-24;
    return (float) -Math.log(-Math.log(uniform));
  }
}
