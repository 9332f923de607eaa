package dev.headway.events.record;

/**
 * Whether an entry of a step decodes, as its record says: what {@link
 * dev.headway.api.step.StepPlan#isDecode} answered when it was planned.
 */
public enum EntryPhase {
  /** The entry computes the newest output of its request, and the drafts behind it. */
  DECODE,
  /** Anything else: prompts, chunks, recomputation. */
  PREFILL,
  /** The record does not say: its schema is older than 2. */
  UNKNOWN
}
