package dev.headway.report.explain;

/** What a request spends time on when that is no wait reason; words for programs. */
final class Activity {

  static final String SUBMITTED = "submitted";
  static final String INITIAL_WAITING = "initial_waiting";
  static final String EVICTED = "evicted";
  static final String PREEMPTED = "preempted";

  /** Its prompt is computed. */
  static final String PREFILL = "prefill";

  /** What a preemption took is computed again. */
  static final String RECOMPUTATION = "recomputation";

  /** It generates. */
  static final String DECODE = "decode";

  /** The output of its step is there, and the next step is not planned yet. */
  static final String BETWEEN_STEPS = "between_steps";

  /** It is admitted, and the journal does not say what it did. */
  static final String SEATED = "seated";

  /** It waits, and the journal does not say why. */
  static final String UNKNOWN = "unknown";

  private Activity() {}

  /** Whether it is work of the executor. */
  static boolean isWork(String label) {
    return label.equals(PREFILL) || label.equals(RECOMPUTATION) || label.equals(DECODE);
  }
}
