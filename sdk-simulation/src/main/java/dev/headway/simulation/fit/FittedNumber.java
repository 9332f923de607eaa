package dev.headway.simulation.fit;

/**
 * A number that was fitted to measured requests.
 *
 * @param name as the coefficient of a step's time, or {@code arrival_to_queue}
 * @param isFactor whether it multiplies what an operator takes at the device's peak, or as
 *     measured; otherwise it is a time in ns
 * @param value as found
 * @param low the least that is likely: the lower end of a 95 % interval
 * @param high the most that is likely
 * @param prior what it most likely is before anything is measured
 * @param told how much of what is known of it the requests tell, in [0, 1]; the rest is the prior
 * @param isAtBound whether the requests would have it beyond its bound
 */
public record FittedNumber(
    String name,
    boolean isFactor,
    double value,
    double low,
    double high,
    double prior,
    double told,
    boolean isAtBound) {

  private static final double MOSTLY = 0.5;

  /** Whether the requests tell more of it than what is known without them. */
  public boolean isTold() {
    return told >= MOSTLY;
  }

  /**
   * Two numbers of which more of the one and less of the other predict the same.
   *
   * @param correlation of their errors, in [-1, 1]
   */
  public record Confused(String one, String other, double correlation) {}
}
