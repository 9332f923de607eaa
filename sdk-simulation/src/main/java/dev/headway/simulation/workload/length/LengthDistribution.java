package dev.headway.simulation.workload.length;

import dev.headway.simulation.workload.RandomStream;
import dev.headway.simulation.workload.WorkloadRequest;
import java.util.Map;

/**
 * A distribution of lengths in tokens. Immutable.
 *
 * <p>What is drawn from a continuous distribution is rounded to the nearest integer, and everything
 * is cut to [1, {@value WorkloadRequest#MAX_TOKENS}].
 */
@FunctionalInterface
public interface LengthDistribution {
  /**
   * Draws a length.
   *
   * @param random where numbers come from
   * @return tokens, in [1, {@value WorkloadRequest#MAX_TOKENS}]
   */
  int draw(RandomStream random);

  /**
   * This distribution, with everything outside of two bounds moved to the nearer one.
   *
   * @param min least tokens, at least 1
   * @param max most tokens, at least {@code min}
   * @return the clipped distribution
   */
  default LengthDistribution clipped(int min, int max) {
    Lengths.requireBounds(min, max);
    return random -> Math.clamp(draw(random), min, max);
  }

  /**
   * Always the same length.
   *
   * @param tokens the length
   * @return the distribution
   */
  static LengthDistribution constant(int tokens) {
    Lengths.requireTokens("tokens", tokens);
    return random -> tokens;
  }

  /**
   * Every length of a range equally often.
   *
   * @param min least tokens
   * @param max most tokens, included
   * @return the distribution
   */
  static LengthDistribution uniform(int min, int max) {
    Lengths.requireBounds(min, max);
    return random -> min + random.nextInt(max - min + 1);
  }

  /**
   * Normal, with what falls outside of the bounds moved to the nearer one, as in BLIS.
   *
   * @param mean of the normal before it is clipped
   * @param deviation its standard deviation, at least 0
   * @param min least tokens
   * @param max most tokens
   * @return the distribution
   */
  static LengthDistribution normal(double mean, double deviation, int min, int max) {
    Lengths.requireFinite("mean", mean);
    Lengths.requireNotNegative("deviation", deviation);
    Lengths.requireBounds(min, max);
    return random -> Lengths.rounded(mean + deviation * random.nextGaussian(), min, max);
  }

  /**
   * Log-normal: the logarithm is normal; the median is {@code exp(mu)}.
   *
   * @param mu mean of the logarithm
   * @param sigma standard deviation of the logarithm, at least 0
   * @return the distribution
   */
  static LengthDistribution logNormal(double mu, double sigma) {
    Lengths.requireFinite("mu", mu);
    Lengths.requireNotNegative("sigma", sigma);
    return random -> Lengths.rounded(StrictMath.exp(mu + sigma * random.nextGaussian()));
  }

  /**
   * Exponential.
   *
   * @param mean of the distribution before rounding, above 0
   * @return the distribution
   */
  static LengthDistribution exponential(double mean) {
    Lengths.requirePositive("mean", mean);
    return random -> Lengths.rounded(mean * random.nextExponential());
  }

  /**
   * A mixture of a Pareto tail and a log-normal body, as ServeGen and BLIS fit prompts.
   *
   * @param alpha shape of the Pareto part, above 0; its mean is finite above 1 only
   * @param least smallest value of the Pareto part, {@code xm}, above 0
   * @param mu mean of the logarithm of the log-normal part
   * @param sigma standard deviation of that logarithm, at least 0
   * @param paretoShare share of draws from the Pareto part, in [0, 1]
   * @return the distribution
   */
  static LengthDistribution paretoLogNormal(
      double alpha, double least, double mu, double sigma, double paretoShare) {
    return new ParetoLogNormal(alpha, least, mu, sigma, paretoShare);
  }

  /**
   * Zipf: {@code k} tokens with a probability in proportion to {@code k^-exponent}.
   *
   * @param exponent in [0, 20]; 0 is uniform
   * @param max most tokens, in [1, 1,048,576]
   * @return the distribution
   */
  static LengthDistribution zipf(double exponent, int max) {
    return TableDistribution.zipf(exponent, max);
  }

  /**
   * Given lengths with given weights.
   *
   * @param weights how often each length occurs, by tokens; at least 0, not all 0
   * @return the distribution
   */
  static LengthDistribution empirical(Map<Integer, Double> weights) {
    return TableDistribution.of(weights);
  }
}
