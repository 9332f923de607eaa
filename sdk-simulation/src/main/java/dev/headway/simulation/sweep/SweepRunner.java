package dev.headway.simulation.sweep;

import java.io.IOException;

/** Runs cells of a sweep, here or elsewhere. */
public interface SweepRunner {

  /**
   * Runs cells to the end. A run that fails gives a row that says why.
   *
   * @param cells their numbers, ascending
   * @param sink gets the rows in the order of {@code cells}, on the caller's thread
   * @throws IOException if rows could not be kept, or could not be brought here
   * @throws InterruptedException if the thread was interrupted; runs that have begun end by
   *     themselves
   */
  void run(int[] cells, RowSink sink) throws IOException, InterruptedException;
}
