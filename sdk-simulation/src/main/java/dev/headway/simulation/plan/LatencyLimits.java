package dev.headway.simulation.plan;

import dev.headway.simulation.plan.RateRun.Excess;

/**
 * What the requests of a run shall keep to: each latency by itself, at a percentile.
 *
 * @param ttftNs longest time to the first token, > 0; needed, since a queue that grows shows there
 * @param tpotNs longest mean time per further token, > 0; {@link #NONE} for no limit
 * @param e2eNs longest time to the end, > 0; {@link #NONE} for no limit
 * @param percentile at which each is looked at, in (0, 100]; no larger share of the requests than
 *     is beyond it may be refused
 */
public record LatencyLimits(long ttftNs, long tpotNs, long e2eNs, double percentile) {

  /** No limit. */
  public static final long NONE = Long.MAX_VALUE;

  private static final double WHOLE = 100;
  private static final double ROUNDING = 1e-9;

  /** Checks. */
  public LatencyLimits {
    if (ttftNs <= 0 || tpotNs <= 0 || e2eNs <= 0) {
      throw new IllegalArgumentException(
          "limits must be > 0: ttftNs=" + ttftNs + ", tpotNs=" + tpotNs + ", e2eNs=" + e2eNs);
    }
    if (!(percentile > 0 && percentile <= WHOLE)) {
      throw new IllegalArgumentException(
          "percentile must be in (0, 100]: percentile=" + percentile);
    }
  }

  /** The percentile as a share. */
  double share() {
    return percentile / WHOLE;
  }

  /**
   * The limit that is nearest or exceeded most, and its value over the limit: 1.2 is a fifth too
   * much. Of a run without a latency the refusals.
   */
  public Excess worst(RateRun run) {
    Excess worst = new Excess(LatencyLimit.REFUSED, refused(run));
    worst = worst.or(LatencyLimit.TTFT, run.ttftNs() / ttftNs);
    worst = worst.or(LatencyLimit.TPOT, tpotNs == NONE ? 0 : run.tpotNs() / tpotNs);
    return worst.or(LatencyLimit.E2E, e2eNs == NONE ? 0 : run.e2eNs() / e2eNs);
  }

  /** Whether a run kept to all of them. */
  public boolean areMet(RateRun run) {
    return worst(run).ratio() <= 1;
  }

  private double refused(RateRun run) {
    return run.refused() == 0
        ? 0
        : run.refused() / Math.max(ROUNDING, (1 - share()) * run.requests() + ROUNDING);
  }
}
