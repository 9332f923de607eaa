package dev.headway.simulation.plan;

/** What a run may exceed. */
public enum LatencyLimit {
  /** Arrival to first token. */
  TTFT("ttft"),
  /** Mean time per further token. */
  TPOT("tpot"),
  /** Arrival to the end. */
  E2E("e2e"),
  /** Requests that the engines refused, which have no latency. */
  REFUSED("refused");

  private final String label;

  LatencyLimit(String label) {
    this.label = label;
  }

  /** The word for it in files. */
  public String label() {
    return label;
  }
}
