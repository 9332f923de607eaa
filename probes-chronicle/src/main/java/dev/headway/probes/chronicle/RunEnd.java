package dev.headway.probes.chronicle;

/** How the reading of a run ended. */
public enum RunEnd {
  /** There may be more: the writer can still be at work and the reader follows. */
  OPEN,
  /** At the end record: the writer closed the journal in good order. */
  CLEAN,
  /** Where the writer had come that is at work, as it was when this run was opened. */
  LIVE,
  /** Without an end record: the writer died; where files cannot be locked, it may be at work. */
  CUT,
  /** At a record that cannot be what was written. */
  DAMAGED,
  /** At once: the writer died before its start record was complete. */
  NOT_STARTED
}
