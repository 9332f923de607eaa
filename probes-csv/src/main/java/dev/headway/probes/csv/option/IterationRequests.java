package dev.headway.probes.csv.option;

/** How much of {@code per_iteration_requests.csv} is written. */
public enum IterationRequests {
  /** One row per live request and iteration. */
  FULL,
  /** Only rows whose state or wait reason differs from the request's row before. */
  CHANGES,
  /** The header only. */
  OFF
}
