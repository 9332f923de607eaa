package dev.headway.api.config;

/** Whether a drafter proposes its tokens one after the other or all at once. */
public enum Drafting {
  /** One after the other. */
  SEQUENTIAL,
  /** All in one pass, which takes additional slots in the batch. */
  PARALLEL
}
