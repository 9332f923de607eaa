package dev.headway.router.record;

import java.io.IOException;

/** A file of attempts. Any thread; what is added is written on a thread of its own. */
public interface AttemptFile extends AttemptListener, AutoCloseable {

  /** Attempts left out because the disk was too slow, or failed. */
  long dropped();

  /**
   * Writes what is left.
   *
   * @throws IOException if something could not be written, now or earlier
   */
  @Override
  void close() throws IOException;
}
