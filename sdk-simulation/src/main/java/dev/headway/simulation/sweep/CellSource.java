package dev.headway.simulation.sweep;

import java.io.IOException;
import java.util.Map;

/** Turns the parameters of a cell into a run. May be called by several threads at once. */
@FunctionalInterface
public interface CellSource {

  /**
   * Reads the parameters.
   *
   * @param parameters value by name, as the plan writes them
   * @throws IllegalArgumentException if a value or a combination of values cannot be; the message
   *     becomes the error of the cell's row
   * @throws IOException if a file of the cell cannot be read; likewise
   */
  CellSetup setup(Map<String, String> parameters) throws IOException;

  /**
   * A message of a failure as it would be on any machine, so without the directory that the plan
   * lies in.
   */
  default String anywhere(String message) {
    return message;
  }
}
