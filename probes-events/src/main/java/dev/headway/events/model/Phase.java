package dev.headway.events.model;

/** What a request is doing. */
public enum Phase {
  /** In the queue, never admitted. */
  WAITING("waiting"),
  /** In the queue, having been admitted before. */
  PREEMPTED("preempted"),
  /** Admitted, without a token yet. */
  PREFILL("prefill"),
  /** Admitted again, computing what a preemption took. */
  RECOMPUTE("recompute"),
  /** Making tokens. */
  DECODE("decode"),
  /** Ended. */
  ENDED("ended");

  private final String label;

  Phase(String label) {
    this.label = label;
  }

  /** The word in files. */
  public String label() {
    return label;
  }

  /** Whether it stands in the queue. */
  public boolean isWaiting() {
    return this == WAITING || this == PREEMPTED;
  }

  /** Whether it has a seat. */
  public boolean isRunning() {
    return this == PREFILL || this == RECOMPUTE || this == DECODE;
  }
}
