package dev.headway.probes.chronicle;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The directories of runs inside a common one: {@code run-000001}, {@code run-000002}, … so that no
 * run overwrites another's files. Any thread.
 */
public final class RunDirectories {

  private static final Pattern NAME = Pattern.compile("run-(\\d{6,9})");

  private RunDirectories() {}

  static Path of(Path parent, int number) {
    return parent.resolve(String.format("run-%06d", number));
  }

  /** The runs of a journal directory, oldest first. */
  static List<Path> list(Path parent) throws IOException {
    try (var entries = Files.list(parent)) {
      return entries
          .filter(entry -> number(entry) > 0 && isDirectory(entry))
          .sorted(Comparator.comparingInt(RunDirectories::number))
          .toList();
    } catch (UncheckedIOException e) {
      throw new IOException("journal directory cannot be read: " + e.getMessage(), e.getCause());
    }
  }

  /** A run that cannot be looked at must not be left out. */
  private static boolean isDirectory(Path entry) {
    try {
      return Files.readAttributes(entry, BasicFileAttributes.class).isDirectory();
    } catch (NoSuchFileException removedMeanwhile) {
      return false;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Makes the directory of a new run, and {@code parent} if it is missing; engines may do so side
   * by side.
   */
  public static Path create(Path parent) throws IOException {
    Files.createDirectories(parent);
    for (int number = largest(parent) + 1; ; number++) {
      try {
        return Files.createDirectory(of(parent, number));
      } catch (FileAlreadyExistsException e) {
        // another engine took this number between our look and our try
      }
    }
  }

  /** The largest number in use, 0 if there is none. */
  static int largest(Path parent) throws IOException {
    return list(parent).stream().mapToInt(RunDirectories::number).max().orElse(0);
  }

  private static int number(Path entry) {
    final Matcher name = NAME.matcher(entry.getFileName().toString());
    return name.matches() ? Integer.parseInt(name.group(1)) : 0;
  }
}
