package dev.headway.probes.chronicle;

/** How the reading of a run ended. */
public enum RunEnd {
  /** There may be more: the writer can still be at work and the reader follows. */
  OPEN,
  /** At the end record: the writer closed the journal in good order. */
  CLEAN,
  /** Without an end record: the writer died, or is at work and the reader does not follow. */
  CUT,
  /** At a record that cannot be what was written. */
  DAMAGED,
  /** At once: the writer died before its start record was complete. */
  NOT_STARTED
}
