package dev.headway.probes.csv.option;

/** Which lists of request ids {@code per_iteration.csv} has. */
public enum IdLists {
  /** Admitted, preempted and completed. */
  COMPACT,
  /** Running and waiting as well, in every row. */
  FULL
}
