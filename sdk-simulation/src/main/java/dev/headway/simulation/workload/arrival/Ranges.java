package dev.headway.simulation.workload.arrival;

/** Checks parameters; NaN is in no range. */
final class Ranges {
  /** More than a year of seconds, and more requests per second than any engine takes. */
  static final double MOST = 1e9;

  private Ranges() {}

  static double require(String name, double value, double min, double max) {
    if (!(value >= min && value <= max)) {
      throw new IllegalArgumentException(
          name + " must be in [" + min + ", " + max + "]: " + name + "=" + value);
    }
    return value;
  }

  static double requirePositive(String name, double value) {
    return require(name, value, 1e-9, MOST);
  }

  static double requireNotNegative(String name, double value) {
    return require(name, value, 0, MOST);
  }
}
