package dev.headway.events.model;

/** Phase of a request's life. */
public enum Phase {
  /** In the queue, never admitted. */
  WAITING("waiting"),
  /** In the queue, having been admitted before. */
  PREEMPTED("preempted"),
  /** Admitted, without a token yet. */
  PREFILL("prefill"),
  /** Admitted again, recomputing the tokens discarded by a preemption. */
  RECOMPUTE("recompute"),
  /** Generating tokens. */
  DECODE("decode"),
  /** Ended. */
  ENDED("ended");

  private final String label;

  Phase(String label) {
    this.label = label;
  }

  /** The label in files. */
  public String label() {
    return label;
  }

  /** Whether it is in the queue. */
  public boolean isWaiting() {
    return this == WAITING || this == PREEMPTED;
  }

  /** Whether it has a seat. */
  public boolean isRunning() {
    return this == PREFILL || this == RECOMPUTE || this == DECODE;
  }
}
