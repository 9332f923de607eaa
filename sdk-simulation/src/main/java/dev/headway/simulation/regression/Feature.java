package dev.headway.simulation.regression;

/**
 * A column of a regression.
 *
 * @param name as in files and tables
 * @param unit of the column; of the coefficient it is the target's unit per this one
 * @param lowest that the coefficient may be; minus infinity if anything
 * @param prior what the coefficient is where no row says anything of it
 */
public record Feature(String name, String unit, double lowest, double prior) {

  /** Checks the bound. */
  public Feature {
    if (Double.isNaN(lowest) || !(prior >= lowest)) {
      throw new IllegalArgumentException(
          "prior must be >= lowest: name=" + name + ", lowest=" + lowest + ", prior=" + prior);
    }
  }

  /** A column whose coefficient may be anything. */
  public static Feature free(String name, String unit) {
    return new Feature(name, unit, Double.NEGATIVE_INFINITY, 0);
  }

  /** A column whose coefficient is not negative. */
  public static Feature added(String name, String unit) {
    return new Feature(name, unit, 0, 0);
  }
}
