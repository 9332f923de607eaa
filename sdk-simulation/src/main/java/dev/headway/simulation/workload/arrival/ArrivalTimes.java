package dev.headway.simulation.workload.arrival;

/** The arrivals of one run, one after the other. One thread. */
@FunctionalInterface
public interface ArrivalTimes {
  /**
   * The next arrival.
   *
   * @return seconds after the start, not before the last one; positive infinity if no more come
   */
  double next();
}
