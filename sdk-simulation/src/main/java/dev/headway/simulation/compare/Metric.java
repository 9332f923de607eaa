package dev.headway.simulation.compare;

/** A figure of a run: its name in files, its unit, and what it is. */
public enum Metric {
  TTFT_SHORT_P50("ttft_short_p50", "ns", "Arrival to first token, prompts up to the threshold."),
  TTFT_SHORT_P99("ttft_short_p99", "ns", "The same, 99th percentile."),
  TTFT_LONG_P50("ttft_long_p50", "ns", "Arrival to first token, longer prompts."),
  TTFT_LONG_P99("ttft_long_p99", "ns", "The same, 99th percentile."),
  TTFT_P50("ttft_p50", "ns", "Arrival to first token, all prompts."),
  TTFT_P99("ttft_p99", "ns", "The same, 99th percentile."),
  ITL_P50("itl_p50", "ns", "Time from a token to the request's next one; binned, 0.8 %."),
  ITL_P99("itl_p99", "ns", "The same, 99th percentile."),
  E2E_P50("e2e_p50", "ns", "Arrival to last token."),
  E2E_P99("e2e_p99", "ns", "The same, 99th percentile."),
  GOODPUT_SHARE(
      "goodput_share",
      "share",
      "Requests, of all that came, whose TTFT and mean time per further token were within the SLO."),
  GOODPUT_RPS("goodput_rps", "1/s", "Those requests per second of the run."),
  RECOMPUTE_TAX("recompute_tax", "share", "Tokens computed again, of all tokens computed."),
  RECOMPUTED_TOKENS("recomputed_tokens", "tokens", "Tokens computed again after a preemption."),
  PREEMPTIONS("preemptions", "count", "How often a request lost its blocks."),
  SELF_PREEMPTIONS(
      "self_preemptions", "count", "Those in which a request needed the blocks that it gave up."),
  LOST_TOKENS(
      "lost_tokens", "tokens", "Computed tokens given up; the prefix cache may give some back."),
  JAIN("jain", "index", "Jain's index of the service of tenants that waited, mean over windows."),
  PREFIX_HIT_SHARE("prefix_hit_share", "share", "Prompt tokens found in the prefix cache."),
  MAKESPAN("makespan", "ns", "Start of the trace to the end of the last step."),
  TOKENS_PER_SECOND("tokens_per_second", "1/s", "Prompt and output tokens of finished requests."),
  FINISHED("finished", "count", "Requests that got all their tokens."),
  NOT_FINISHED("not_finished", "count", "Requests that were refused or ended early."),
  STEPS("steps", "count", "Steps that computed something."),
  POLICY_FAULTS("policy_faults", "count", "Answers of policies that were not believed."),
  WAITED_SHARE("waited_share", "share", "Requests that spent time in the queue, of all that came.");

  private final String label;
  private final String unit;
  private final String description;

  Metric(String label, String unit, String description) {
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
  String description() {
    return description;
  }
}
