package dev.headway.events.model;

import java.io.IOException;

/** Hears what {@link RunObserver} makes of the records. One thread. */
public interface RunListener extends RequestListener, StepListener {

  /**
   * A run begins; the one before has been concluded. This is the moment to ask it for waits.
   *
   * @return who hears of it: this one, unless each run has its own
   */
  default RunListener onRun(ObservedRun run) {
    return this;
  }

  /** Cached KV blocks were stored, or lost to other content. */
  default void onKvChanged(int stored, int removed) {}

  /** The writer had to drop records. */
  default void onDropped(long records) {}

  /**
   * Nothing more comes of this run.
   *
   * @param lastNs the latest instant heard of
   * @param cleanly whether its writer closed it
   */
  default void onRunConcluded(long lastNs, boolean cleanly) {}

  /**
   * A good moment to bring up to date what others see. Told to the listener of all runs only.
   *
   * @throws IOException if that fails
   */
  default void flush() throws IOException {}

  /**
   * Nothing comes any more; called once. Told to the listener of all runs only.
   *
   * @throws IOException if something could not be written
   */
  default void close() throws IOException {}
}
