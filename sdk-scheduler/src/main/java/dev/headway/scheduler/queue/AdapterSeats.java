package dev.headway.scheduler.queue;

/** The LoRA adapters of the step that is being planned. */
public interface AdapterSeats {

  /** Whether the step may have no adapter beyond those it has. */
  boolean areTaken();

  /** Adapters of the step. */
  int count();

  /** The executor's number of one of them; {@code index} in [0, {@link #count}). */
  int adapterId(int index);

  /** Whether an adapter is one of them. */
  boolean holds(int adapterId);

  /** Whether an adapter is one of them, and none that waits for it is admitted. */
  boolean isDrained(int adapterId);
}
