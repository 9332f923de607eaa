package dev.headway.toolbox.stats;

/** Jain's index of fairness (Jain, Chiu, Hawe 1984). */
public final class Jain {

  private Jain() {}

  /**
   * The index {@code (sum x)^2 / (n * sum x^2)} of shares that are not negative: 1 if all are
   * equal, {@code 1/n} if one has everything; NaN if there is no share above 0.
   */
  public static double index(double[] shares) {
    double sum = 0;
    double squares = 0;
    for (double share : shares) {
      sum += share;
      squares += share * share;
    }
    return squares == 0 ? Double.NaN : sum * sum / (shares.length * squares);
  }
}
