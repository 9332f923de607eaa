package dev.headway.report.explain;

import java.util.Locale;

/** Where a request spends time, coarsely. */
enum Phase {
  /** Submitted, and not yet taken in by the engine thread. */
  BEFORE_QUEUE("before the queue"),
  /** In the queue for the first time. */
  WAITING("waiting"),
  /** In the queue again, after a preemption. */
  WAITING_AGAIN("waiting again"),
  /** In a seat. */
  RUNNING("running");

  private final String words;

  Phase(String words) {
    this.words = words;
  }

  /** For people. */
  String words() {
    return words;
  }

  /** For programs. */
  String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  boolean isWaiting() {
    return this == WAITING || this == WAITING_AGAIN;
  }
}
