package dev.headway.api.schedule;

/** How much of scheduling is paused. */
public enum PauseState {
  /** Nothing. */
  RUNNING,
  /** No request is admitted; running requests continue. */
  NO_ADMISSIONS,
  /** No request is scheduled. */
  PAUSED
}
