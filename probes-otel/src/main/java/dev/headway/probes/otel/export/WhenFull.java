package dev.headway.probes.otel.export;

/** What happens to spans while a batch is still under way and the next is full. */
public enum WhenFull {
  /** The caller waits, at most as long as an export may take: for journals. */
  WAIT,
  /** The newest spans are dropped and counted: for live runs, whose records must not pile up. */
  DROP
}
