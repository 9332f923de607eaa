package dev.headway.probes.csv.observe;

import dev.headway.probes.chronicle.record.JournalVisitor.FinishedRequest;
import java.io.IOException;

/** Hears what {@link RunObserver} makes of the records. One thread. */
public interface RunListener {

  /** A run began; the one before is over. */
  default void onRun(ObservedRun run) {}

  /** A request is about to enter the queue. */
  default void onQueued(ObservedRun run, LiveRequest request) {}

  /** A request was admitted for the first time; {@code request} knows when. */
  default void onFirstScheduled(ObservedRun run, LiveRequest request) {}

  /** A request ended and is gone from the run. */
  default void onEnded(ObservedRun run, LiveRequest request, FinishedRequest end) {}

  /** A step is done. */
  default void onStep(ObservedStep step) {}

  /** Records were lost. */
  default void onDropped(long records) {}

  /**
   * A good moment to bring up to date what others see.
   *
   * @throws IOException if that fails
   */
  default void flush() throws IOException {}

  /**
   * Nothing comes any more; called once.
   *
   * @throws IOException if something could not be written
   */
  default void close() throws IOException {}
}
