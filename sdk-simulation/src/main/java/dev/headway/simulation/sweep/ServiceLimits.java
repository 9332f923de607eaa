package dev.headway.simulation.sweep;

import dev.headway.simulation.compare.Measures;
import dev.headway.toolbox.csv.RealNumber;

/**
 * What requests shall meet, and how many of them.
 *
 * @param slo of a request
 * @param share of all requests that came which must meet it for a run to meet the limits, in (0, 1]
 */
public record ServiceLimits(Measures.Slo slo, double share) {

  /** 0.07 of 100 is 7 requests, though the product of the two doubles is a little more. */
  private static final double ROUNDING = 1e-9;

  /**
   * Checks the share.
   *
   * @throws IllegalArgumentException if it is outside (0, 1]
   */
  public ServiceLimits {
    if (!(share > 0 && share <= 1)) {
      throw new IllegalArgumentException(
          "share must be in (0, 1]: share=" + RealNumber.text(share));
    }
  }

  /** Whether enough of {@code requests} were good; a run without requests met nothing. */
  boolean areMet(long good, long requests) {
    return requests > 0 && good >= Math.ceil(share * requests - ROUNDING);
  }
}
