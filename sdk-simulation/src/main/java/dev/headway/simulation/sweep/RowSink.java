package dev.headway.simulation.sweep;

import java.io.IOException;
import java.util.List;

/** Takes the rows of a sweep. One thread. */
@FunctionalInterface
public interface RowSink {

  /**
   * Takes the rows of the next cell.
   *
   * @param rows of one cell, in the order of its runs, at least one
   * @throws IOException if they cannot be kept; the sweep stops
   */
  void accept(List<SweepRow> rows) throws IOException;
}
