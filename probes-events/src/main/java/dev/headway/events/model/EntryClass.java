package dev.headway.events.model;

/** What an entry of a step computes, by the state of its request before the step. */
public enum EntryClass {
  /** A prompt, or a part of it, for the first time. */
  PREFILL,
  /** The newest output, and draft tokens if there are any: {@code StepPlan.isDecode}. */
  DECODE,
  /** Recomputation of tokens discarded by a preemption, prompt or output. */
  RECOMPUTE;

  /** Whether it counts as prefill: everything but decodes. */
  public boolean countsAsPrefill() {
    return this != DECODE;
  }
}
