package dev.headway.probes.csv.training;

import static dev.headway.api.Absent.ABSENT;

/** An exponentially weighted mean of whole numbers, in whole numbers: each new one weighs 1/8. */
final class MovingMean {

  private static final long WEIGHT = 8;

  private long mean = ABSENT;

  void add(long value) {
    mean = mean == ABSENT ? value : mean + Math.floorDiv(value - mean, WEIGHT);
  }

  /** The mean, absent before the first number. */
  long value() {
    return mean;
  }
}
