package dev.headway.report.profile;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Which file a profile goes to. A path that ends in {@code .jsonl} or {@code .jsonl.gz} is the
 * file. Anything else is a directory with one file per day:
 *
 * <pre>
 * DIR/2026-11-21/profiling_20261121T102203Z.jsonl
 * DIR/2026-11-21/FILE_NAME                          if a file name is given
 * </pre>
 */
final class ProfilePath {

  private static final DateTimeFormatter DAY =
      DateTimeFormatter.ofPattern("yyyy-MM-dd", Locale.ROOT).withZone(ZoneOffset.UTC);
  private static final DateTimeFormatter SECOND =
      DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);

  private ProfilePath() {}

  /** Whether a path names a file and not a directory. */
  static boolean isFile(Path log) {
    final String name = log.toString();
    return name.endsWith(".jsonl") || name.endsWith(".jsonl.gz");
  }

  /** Returns the absolute path of the file for a profile that begins at {@code now}. */
  static Path resolve(Path log, @Nullable String fileName, Instant now) {
    final Path absolute = log.toAbsolutePath().normalize();
    if (isFile(absolute)) {
      return absolute;
    }
    final Path day = absolute.resolve(DAY.format(now));
    return fileName != null
        ? day.resolve(fileName)
        : unused(day, "profiling_" + SECOND.format(now));
  }

  /** Two engines may begin in the same second. */
  private static Path unused(Path day, String name) {
    Path file = day.resolve(name + ".jsonl");
    for (int number = 2; Files.exists(file); number++) {
      file = day.resolve(name + "_" + number + ".jsonl");
    }
    return file;
  }
}
