package dev.headway.simulation.sweep;

import dev.headway.simulation.run.RunFigures;

/**
 * What came of a run.
 *
 * @param setup what was run
 * @param run its figures
 * @param withinLimits requests that got all their tokens within the limits
 */
record CellFigures(CellSetup setup, RunFigures run, long withinLimits) {

  private static final double NS_PER_HOUR = 3.6e12;

  long requests() {
    return run.finishedTotal() + run.rejectedTotal();
  }

  boolean hasLimits() {
    return setup.limits() != null;
  }

  /** Whether the run met its limits; false without limits. */
  boolean meetsLimits() {
    return setup.limits() != null && setup.limits().areMet(withinLimits, requests());
  }

  /** NaN if there is no price, or no token to pay for. */
  double costPerMillionOutputTokens() {
    final long tokens = run.work().outputTokens();
    return tokens == 0
        ? Double.NaN
        : setup.devices()
            * setup.pricePerDeviceHour()
            * (run.work().durationNs() / NS_PER_HOUR)
            * 1e6
            / tokens;
  }
}
