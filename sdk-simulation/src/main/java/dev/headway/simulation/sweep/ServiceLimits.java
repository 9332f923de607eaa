package dev.headway.simulation.sweep;

import dev.headway.simulation.compare.Measures;

/**
 * What requests shall meet, and how many of them.
 *
 * @param slo of a request
 * @param share of all requests that came which must meet it for a run to meet the limits, in (0, 1]
 */
public record ServiceLimits(Measures.Slo slo, double share) {

  /**
   * Checks the share.
   *
   * @throws IllegalArgumentException if it is outside (0, 1]
   */
  public ServiceLimits {
    if (!(share > 0 && share <= 1)) {
      throw new IllegalArgumentException("share must be in (0, 1]: share=" + Numbers.text(share));
    }
  }

  /** Whether enough of {@code requests} were good; a run without requests met nothing. */
  boolean areMet(long good, long requests) {
    return requests > 0 && good >= share * requests;
  }
}
