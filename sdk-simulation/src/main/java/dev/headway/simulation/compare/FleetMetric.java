package dev.headway.simulation.compare;

/** A figure of a run with several instances: its name in files, its unit, and what it is. */
public enum FleetMetric {
  TTFT_MEAN("ttft_mean", "ns", "Arrival at the router to first token, mean."),
  TTFT_P50("ttft_p50", "ns", "Arrival at the router to first token, median."),
  TTFT_P99("ttft_p99", "ns", "The same, 99th percentile."),
  E2E_P50("e2e_p50", "ns", "Arrival at the router to the end, median."),
  E2E_P99("e2e_p99", "ns", "The same, 99th percentile."),
  HIT_SHARE("hit_share", "share", "Prompt tokens found in the prefix cache of the instance."),
  IMBALANCE(
      "imbalance",
      "ratio",
      "Tokens computed by the busiest instance relative to the mean; 1 is even."),
  REGRET_MEAN(
      "regret_mean", "ns", "Predicted time to first token lost against the best instance, mean."),
  REGRET_P99("regret_p99", "ns", "The same, 99th percentile."),
  FINISHED("finished", "count", "Requests that got a first token and ended.");

  private final String label;
  private final String unit;
  private final String description;

  FleetMetric(String label, String unit, String description) {
    this.label = label;
    this.unit = unit;
    this.description = description;
  }

  /** The name in files. */
  public String label() {
    return label;
  }

  /** The unit in files. */
  public String unit() {
    return unit;
  }

  /** What it is, in a sentence. */
  public String description() {
    return description;
  }
}
