package dev.headway.report.profile;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Where a profile goes.
 *
 * @param log a file that ends in {@code .jsonl} or {@code .jsonl.gz}, or a directory that gets one
 *     directory per day
 * @param fileName of the file in that directory, or null for one with the time in it
 * @param console whether it is written to the console as well
 * @param rotateBytes size at which the file is put aside, in bytes; 0 for never
 */
public record ProfileOptions(
    Path log, @Nullable String fileName, ConsoleLines console, long rotateBytes) {

  /** The name that the original has. */
  public static final Path DEFAULT_LOG = Path.of("scheduler_profiling.jsonl");

  /** Validates the components. */
  public ProfileOptions {
    if (rotateBytes < 0) {
      throw new IllegalArgumentException(
          "rotateBytes must be >= 0, 0 for no rotation: rotateBytes=" + rotateBytes);
    }
    if (fileName != null && (fileName.isEmpty() || Path.of(fileName).getNameCount() != 1)) {
      throw new IllegalArgumentException(
          "fileName must be a name without directories: fileName=" + fileName);
    }
  }

  /** A file or directory, no console, no rotation. */
  public static ProfileOptions of(Path log) {
    return new ProfileOptions(log, null, ConsoleLines.OFF, 0);
  }
}
