package dev.headway.report.explain;

import dev.headway.events.model.Phase;
import java.util.Locale;

/** Where a request spends time, as far as the account of its time separates phases. */
enum AccountPhase {
  /** Submitted, and not yet taken in by the engine thread. */
  BEFORE_QUEUE("before the queue"),
  /** In the queue for the first time. */
  WAITING("waiting"),
  /** In the queue again, after a preemption. */
  WAITING_AGAIN("waiting again"),
  /** Admitted. */
  RUNNING("running");

  private final String words;

  AccountPhase(String words) {
    this.words = words;
  }

  /** The phase of a request that lives. */
  static AccountPhase of(Phase phase) {
    return switch (phase) {
      case WAITING -> WAITING;
      case PREEMPTED -> WAITING_AGAIN;
      case PREFILL, RECOMPUTE, DECODE -> RUNNING;
      case ENDED -> throw new IllegalArgumentException("the request must live: phase=" + phase);
    };
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
