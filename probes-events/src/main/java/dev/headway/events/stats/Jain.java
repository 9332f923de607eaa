package dev.headway.events.stats;

/** Jain's index of fairness. */
public final class Jain {

  private Jain() {}

  /** From 1/n, one has everything, to 1, all have the same; 1 if nobody has anything. */
  public static double index(double[] shares) {
    double sum = 0;
    double squares = 0;
    for (double share : shares) {
      sum += share;
      squares += share * share;
    }
    return squares == 0 ? 1 : sum * sum / (shares.length * squares);
  }
}
