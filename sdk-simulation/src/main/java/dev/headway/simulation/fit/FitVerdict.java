package dev.headway.simulation.fit;

/** Whether a model of step times is good enough, by the mean error of steps that were held out. */
public enum FitVerdict {
  /** Below 3 %. */
  EXCELLENT("excellent"),

  /** Below 8 %. */
  GOOD("good"),

  /** What is simulated with it shows the commands, and little of the machine. */
  NOT_GOOD_ENOUGH("not good enough");

  private static final double EXCELLENT_BELOW = 0.03;
  private static final double GOOD_BELOW = 0.08;

  private final String label;

  FitVerdict(String label) {
    this.label = label;
  }

  /**
   * Judges a mean error.
   *
   * @param meanError a share, such as 0.05; NaN is not good enough
   */
  public static FitVerdict of(double meanError) {
    if (meanError < EXCELLENT_BELOW) {
      return EXCELLENT;
    }
    return meanError < GOOD_BELOW ? GOOD : NOT_GOOD_ENOUGH;
  }

  /** In words. */
  public String label() {
    return label;
  }
}
