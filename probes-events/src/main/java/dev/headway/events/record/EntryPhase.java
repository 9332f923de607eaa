package dev.headway.events.record;

/** Whether an entry of a step decodes, as its record says. */
public enum EntryPhase {
  /** The request has outputs, and only its newest known token is computed, with drafts. */
  DECODE,
  /** Anything else: prompts, chunks, recomputation. */
  PREFILL,
  /** The record does not say: its schema is older than 2. */
  UNKNOWN
}
