package dev.headway.api.schedule;

/** Whether a failed step can still write KV. */
public enum StepAcknowledgement {
  /** The executor is done with it: its blocks can be reused. */
  DONE,
  /** No answer came: its blocks stay in quarantine. */
  UNANSWERED
}
