package dev.headway.api.step;

/** Why a request is in a plan. */
public enum EntryKind {
  /** Admitted in this step for the first time: the executor has no state for it. */
  NEW,
  /** Admitted again after a preemption: its block table is all new. */
  RESUMED,
  /** Has been running: only blocks from {@link PlannedBlocks#newFrom} on are new. */
  RUNNING
}
