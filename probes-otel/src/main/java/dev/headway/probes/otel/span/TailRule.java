package dev.headway.probes.otel.span;

/** What makes a request worth exporting although the rate did not choose it. */
public enum TailRule {
  /** It was preempted. */
  PREEMPTION,
  /** It failed, was refused, passed its deadline, or its server aborted it. */
  ERROR,
  /** Its first token came later than it wanted, or did not come in that time. */
  MISSED_TTFT_TARGET
}
