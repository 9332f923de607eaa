package dev.headway.probes.dashboard.state;

/**
 * Quantiles of a duration in ns, exact to 3 % of their value; absent if nothing was measured.
 *
 * @param count how many durations
 */
public record Quantiles(long count, long p50Ns, long p90Ns, long p99Ns) {}
