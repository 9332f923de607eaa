package dev.headway.api.request;

/**
 * How a request that was accepted has ended. Every accepted request ends with exactly one of these.
 */
public enum FinishReason {
  /**
   * An end-of-sequence token or one of the request's stop tokens was generated, or the caller
   * stopped it as complete.
   */
  STOP("stop"),
  /** Its last outputs repeat a pattern as often as its {@link RepetitionRule} forbids. */
  REPETITION("repetition"),
  /** {@code maxTokens} outputs were generated, or the model's context is full. */
  LENGTH("length"),
  /** The caller cancelled it. */
  ABORTED("abort"),
  /** Its deadline passed. */
  DEADLINE("deadline"),
  /** It was not admitted in the time that it may wait for that. */
  QUEUE_TIMEOUT("queue_timeout"),
  /** The queue was full, and a more important request took its place before it was admitted. */
  QUEUE_EVICTED("queue_evicted"),
  /** It did not end in the time that it may run. */
  RUN_TIMEOUT("run_timeout"),
  /** The executor failed, or returned an invalid answer, in a step it was part of. */
  EXECUTOR_FAILED("executor_failed"),
  /**
   * It is as large as the whole KV cache: the next token, with the drafts behind it, needs more
   * blocks than exist, so no preemption could ever help.
   */
  KV_CACHE_EXHAUSTED("kv_cache_exhausted"),
  /** An admission policy rejected it while it waited. */
  REJECTED_BY_POLICY("rejected_by_policy"),
  /** What it was held for has failed. */
  HOLD_FAILED("hold_failed"),
  /** What it was held for did not happen in time. */
  HOLD_TIMEOUT("hold_timeout"),
  /** Its KV could not be loaded from outside, or the connector for that failed. */
  KV_LOAD_FAILED("kv_load_failed"),
  /** The grammar of its output refused a token that the executor had sampled. */
  GRAMMAR_REFUSED("grammar_refused"),
  /** Its listener threw. */
  LISTENER_FAILED("listener_failed"),
  /** The engine was closed. */
  SHUTDOWN("shutdown");

  private final String label;

  FinishReason(String label) {
    this.label = label;
  }

  /** The word used in CSV files, journals and metrics. */
  public String label() {
    return label;
  }
}
