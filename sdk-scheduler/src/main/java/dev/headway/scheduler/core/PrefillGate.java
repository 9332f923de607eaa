package dev.headway.scheduler.core;

/**
 * Decides for each step whether it may compute prompts beside decodes: with data parallelism one
 * replica's prompt holds up the decodes of all. A closed gate is ignored as long as no running
 * request decodes, and after admissions that left requests waiting.
 */
@FunctionalInterface
public interface PrefillGate {

  /**
   * Whether a step may compute prompts. Engine thread, once per step, at its beginning.
   *
   * @param stepId the step, counted from 1
   */
  boolean isOpen(long stepId);

  /** Open in every {@code interval}th step. */
  static PrefillGate everyNthStep(int interval) {
    return stepId -> stepId % interval == 0;
  }
}
