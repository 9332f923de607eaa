package dev.headway.simulation.kernel;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Where the tables of a profile are that was timed with a number of devices: {@code tp1_dense.csv}
 * beside each other, or {@code tp1/dense.csv} as LLMServingSim's profiler leaves them; plain or
 * gzip.
 *
 * @param folder of the profile
 * @param devices that shared each layer when it was timed
 */
record ProfileTables(Path folder, int devices) {

  private static final String DENSE = "dense";

  /**
   * Those of as many devices, or of the most that divide them.
   *
   * @param devices that are to share each layer
   */
  static ProfileTables nearest(Path folder, int devices) {
    for (int each = devices; each > 1; each--) {
      final ProfileTables tables = new ProfileTables(folder, each);
      if (devices % each == 0 && tables.findOrNull(DENSE) != null) {
        return tables;
      }
    }
    return new ProfileTables(folder, 1);
  }

  /**
   * The table of a kind.
   *
   * @throws IOException if there is none; names the folder and the table
   */
  Path find(String kind) throws IOException {
    final Path found = findOrNull(kind);
    return found == null ? ProfileCsv.find(folder, flat(kind)) : found;
  }

  /** The table of a kind, or null. */
  @Nullable Path findOrNull(String kind) {
    final Path own = folder.resolve("tp" + devices);
    final Path found = ProfileCsv.findOrNull(folder, flat(kind) + ".");
    return found != null || !Files.isDirectory(own)
        ? found
        : ProfileCsv.findOrNull(own, kind + ".");
  }

  private String flat(String kind) {
    return "tp" + devices + "_" + kind;
  }
}
