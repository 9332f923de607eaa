package dev.headway.simulation.calibrate;

/** A latency of a request that is compared. */
public enum LatencyMetric {
  /** From arrival to the first token. */
  TTFT("ttft", "time to first token") {
    @Override
    public double ns(TimedRequest request) {
      return (double) request.ttftNs();
    }
  },
  /** Mean time per token after the first. */
  TPOT("tpot", "time per output token") {
    @Override
    public double ns(TimedRequest request) {
      return request.tpotNs();
    }
  },
  /** From arrival to the last token. */
  E2E("e2e", "end to end") {
    @Override
    public double ns(TimedRequest request) {
      return (double) request.endToEndNs();
    }
  };

  private final String label;
  private final String title;

  LatencyMetric(String label, String title) {
    this.label = label;
    this.title = title;
  }

  /** In files. */
  public String label() {
    return label;
  }

  /** For a person. */
  public String title() {
    return title;
  }

  /** The latency of a request; NaN if it has none. */
  public abstract double ns(TimedRequest request);
}
