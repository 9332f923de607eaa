package dev.headway.simulation.kernel;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.commons.csv.CSVRecord;
import org.jspecify.annotations.Nullable;

/** Finds the tables of a profile, and the numbers in their rows. Stateless. */
final class ProfileCsv {

  private ProfileCsv() {}

  /** The one table of a folder whose name begins like that. */
  static Path find(Path folder, String prefix) throws IOException {
    final Path found = findOrNull(folder, prefix);
    if (found == null) {
      throw new NoSuchFileException(folder.toString(), null, "must have " + prefix + "*.csv[.gz]");
    }
    return found;
  }

  static @Nullable Path findOrNull(Path folder, String prefix) {
    try (Stream<Path> files = Files.list(folder)) {
      final List<Path> found = files.filter(file -> isTable(file, prefix)).sorted().toList();
      return found.isEmpty() ? null : found.getFirst();
    } catch (IOException e) {
      return null; // reading it will say why
    }
  }

  private static boolean isTable(Path file, String prefix) {
    final String name = String.valueOf(file.getFileName());
    return name.startsWith(prefix) && (name.endsWith(".csv") || name.endsWith(".csv.gz"));
  }

  /** The number in a column of a row. */
  static double number(CSVRecord row, String column) {
    return Double.parseDouble(row.get(column));
  }

  /** The nanoseconds of a column in milliseconds. */
  static double milliseconds(CSVRecord row, String column) {
    return number(row, column) * 1e6;
  }
}
