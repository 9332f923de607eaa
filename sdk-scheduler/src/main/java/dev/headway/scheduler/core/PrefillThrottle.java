package dev.headway.scheduler.core;

import dev.headway.scheduler.queue.RunningList;
import org.jspecify.annotations.Nullable;

/**
 * Skips prefill in some steps while other requests decode: with data parallelism one replica's
 * prompt holds up the decodes of all. Not if the latest admissions ended with requests left
 * waiting, so that a replica with a backlog is never idle.
 */
final class PrefillThrottle {

  private final PrefillGate gate;
  private boolean defers;
  private boolean capacityBound;

  private PrefillThrottle(PrefillGate gate) {
    this.gate = gate;
  }

  /**
   * Returns null if every step may compute prompts.
   *
   * @param gate decides instead of {@code interval}; may be null
   */
  static @Nullable PrefillThrottle of(@Nullable PrefillGate gate, int interval) {
    if (gate != null) {
      return new PrefillThrottle(gate);
    }
    return interval == 1 ? null : new PrefillThrottle(PrefillGate.everyNthStep(interval));
  }

  /** Decides for a step, before anything is scheduled. */
  void begin(long stepId, RunningList running) {
    defers = !gate.isOpen(stepId) && !capacityBound && anyDecodes(running);
  }

  /** Whether prefill is skipped in this step. */
  boolean defers() {
    return defers;
  }

  /** The admissions of this step are over. */
  void admissionsEnded(boolean someoneWaits) {
    if (!defers) {
      capacityBound = someoneWaits;
    }
  }

  private static boolean anyDecodes(RunningList running) {
    for (int i = 0; i < running.size(); i++) {
      if (!running.get(i).prefillChunk) {
        return true;
      }
    }
    return false;
  }
}
