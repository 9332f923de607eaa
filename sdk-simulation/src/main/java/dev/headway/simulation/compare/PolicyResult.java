package dev.headway.simulation.compare;

import dev.headway.simulation.compare.Bootstrap.Interval;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What came of one policy.
 *
 * @param policy as the user wrote it
 * @param metrics by definition; low and high are NaN where there is no interval
 * @param outcomes how many requests ended how
 * @param requests what became of each, in order of arrival
 * @param tenants of the load, in the order of their names; empty if it has none
 * @param cost what it cost this machine, the only thing that differs from run to run
 */
public record PolicyResult(
    String policy,
    Map<Metric, Interval> metrics,
    Map<String, Long> outcomes,
    List<RequestFigures> requests,
    List<TenantLatency> tenants,
    Cost cost) {

  /**
   * What a run cost this machine, in real time.
   *
   * @param steps how many
   * @param schedulerNs time in the engine's steps, without model and measurement
   * @param policyNs time in policies, part of it
   */
  public record Cost(long steps, long schedulerNs, long policyNs) {
    public double schedulerNsPerStep() {
      return steps == 0 ? 0 : (double) schedulerNs / steps;
    }

    public double policyNsPerStep() {
      return steps == 0 ? 0 : (double) policyNs / steps;
    }
  }

  /** A figure; NaN if the run has none. */
  public double value(Metric metric) {
    final @Nullable Interval interval = metrics.get(metric);
    return interval == null ? Double.NaN : interval.value();
  }

  /** The same without what is only needed to write files. */
  public PolicyResult withoutRequests() {
    return new PolicyResult(policy, metrics, outcomes, List.of(), tenants, cost);
  }
}
