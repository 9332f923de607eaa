package dev.headway.api.schedule;

/** How much of scheduling is held back. */
public enum PauseState {
  /** Nothing. */
  RUNNING,
  /** Nobody is admitted; running requests go on. */
  NO_ADMISSIONS,
  /** Nobody gets any tokens. */
  PAUSED
}
