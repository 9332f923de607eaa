package dev.headway.probes.csv;

import dev.headway.probes.csv.option.Overwrite;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;

/**
 * The directory of a conversion: filled beside its place, then renamed into it, so that what stands
 * there is complete or was there before. One thread.
 */
public final class OutputDirectory {

  private static final int ATTEMPTS = 1_000;

  private final Path target;
  private final Path scratch;
  private final Overwrite overwrite;
  private final Set<String> ownFiles;
  private boolean published;

  private OutputDirectory(Path target, Path scratch, Overwrite overwrite, Set<String> ownFiles) {
    this.target = target;
    this.scratch = scratch;
    this.overwrite = overwrite;
    this.ownFiles = ownFiles;
  }

  /**
   * Makes a scratch directory beside {@code target}.
   *
   * @param ownFiles names of the files of a conversion; a directory that holds others is no output
   * @throws FileSystemException if {@code target} may not be replaced
   * @throws IOException if the directory cannot be made
   */
  public static OutputDirectory prepare(Path target, Overwrite overwrite, Set<String> ownFiles)
      throws IOException {
    final Path absolute = target.toAbsolutePath().normalize();
    final Path parent = absolute.getParent();
    if (parent == null) {
      throw new FileSystemException(target.toString(), null, "the output needs a directory above");
    }
    refuseUnlessReplaceable(absolute, overwrite, ownFiles);
    Files.createDirectories(parent);
    final Path scratch = createBeside(absolute);
    return new OutputDirectory(absolute, scratch, overwrite, ownFiles);
  }

  /** Where the files are now. */
  public Path directory() {
    return published ? target : scratch;
  }

  /** Whether it stands in its place. */
  public boolean isPublished() {
    return published;
  }

  /** Renames the scratch directory to the target; files in it must be closed. */
  public void publish() throws IOException {
    if (published) {
      return;
    }
    refuseUnlessReplaceable(target, overwrite, ownFiles);
    if (Files.exists(target, LinkOption.NOFOLLOW_LINKS)) {
      replaceTarget();
    } else {
      Files.move(scratch, target);
    }
    published = true;
  }

  /** Removes the scratch directory, unless it was published. */
  public void discard() throws IOException {
    if (!published && Files.exists(scratch)) {
      deleteOutput(scratch);
    }
  }

  private void replaceTarget() throws IOException {
    final Path aside = createBeside(target);
    final Path old = aside.resolve("old");
    Files.move(target, old);
    try {
      Files.move(scratch, target);
    } catch (IOException e) {
      Files.move(old, target);
      Files.delete(aside);
      throw e;
    }
    deleteOutput(old);
    Files.delete(aside);
  }

  private static void refuseUnlessReplaceable(
      Path target, Overwrite overwrite, Set<String> ownFiles) throws IOException {
    if (!Files.exists(target, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    if (!Files.isDirectory(target)) {
      throw new FileSystemException(
          target.toString(), null, "the output exists and is not a directory");
    }
    final List<String> names = namesIn(target);
    for (String name : names) {
      if (!ownFiles.contains(name)) {
        throw new FileSystemException(
            target.toString(),
            null,
            "the output exists and holds more than a conversion, so it will not be replaced: file="
                + name);
      }
    }
    if (overwrite == Overwrite.REFUSE && !names.isEmpty()) {
      throw new FileAlreadyExistsException(
          target.toString(), null, "the output exists; --overwrite replaces it");
    }
  }

  private static List<String> namesIn(Path directory) throws IOException {
    final List<String> names = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
      files.forEach(file -> names.add(String.valueOf(file.getFileName())));
    }
    Collections.sort(names);
    return names;
  }

  /** Unlike a temporary directory it is as readable as any other. */
  private static Path createBeside(Path target) throws IOException {
    for (int attempt = 0; ; attempt++) {
      try {
        return Files.createDirectory(
            target.resolveSibling("." + target.getFileName() + ".tmp-" + attempt));
      } catch (FileAlreadyExistsException taken) {
        if (attempt == ATTEMPTS) {
          throw taken;
        }
      }
    }
  }

  private static void deleteOutput(Path directory) throws IOException {
    if (Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
      try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
        for (Path file : files) {
          Files.delete(file);
        }
      }
    }
    Files.delete(directory);
  }
}
