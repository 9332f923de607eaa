package dev.headway.simulation.workload.generated;

import dev.headway.simulation.workload.Workload;
import java.io.IOException;
import java.nio.file.Path;

/**
 * A kind of directory that is a load, found by {@link java.util.ServiceLoader}: what reads journals
 * stands above this library.
 */
public interface LoadDirectory {

  /**
   * Whether a directory is of this kind, by the names of its files.
   *
   * @throws IOException if it cannot be listed
   */
  boolean isOne(Path directory) throws IOException;

  /**
   * Opens it.
   *
   * @return the load; it owns the open files
   * @throws IOException if it cannot be read
   */
  Workload open(Path directory) throws IOException;
}
