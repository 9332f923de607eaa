package dev.headway.cli.simulate;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The directory of a run: filled beside its place and renamed into it at the end, so that what
 * stands there is a whole run. One thread.
 */
public final class OutputFolder implements AutoCloseable {

  static final String JOURNAL = "journal";
  static final String CSV = "csv";
  static final String SUMMARY = "summary.json";

  private static final Set<String> RUN = Set.of(JOURNAL, CSV, SUMMARY);

  private final Path target;
  private final Path scratch;
  private final Set<String> own;
  private boolean published;

  private OutputFolder(Path target, Path scratch, Set<String> own) {
    this.own = own;
    this.target = target;
    this.scratch = scratch;
  }

  /**
   * Makes a scratch directory beside {@code target}.
   *
   * @throws FileSystemException if the target may not be replaced; nothing was made then
   */
  static OutputFolder prepare(Path target, Existing existing) throws IOException {
    return prepare(target, existing, RUN);
  }

  /**
   * Makes a scratch directory beside {@code target}.
   *
   * @param own names that may stand in a directory that is replaced
   * @throws FileSystemException if the target may not be replaced; nothing was made then
   */
  public static OutputFolder prepare(Path target, Existing existing, Set<String> own)
      throws IOException {
    final Path absolute = target.toAbsolutePath().normalize();
    final Path parent = absolute.getParent();
    final Path name = absolute.getFileName();
    if (parent == null || name == null) {
      throw new FileSystemException(target.toString(), null, "--out needs a directory above it");
    }
    requireReplaceable(target, existing, own);
    Files.createDirectories(parent);
    return new OutputFolder(absolute, unusedBeside(parent, name.toString()), own);
  }

  /** Where to write until {@link #publish}. */
  public Path scratch() {
    return scratch;
  }

  /** Puts what was written in its place; an earlier run goes only now. */
  public void publish() throws IOException {
    if (Files.exists(target, LinkOption.NOFOLLOW_LINKS)) {
      requireReplaceable(target, Existing.REPLACED, own);
      delete(target);
    }
    Files.move(scratch, target);
    published = true;
  }

  /** Removes the scratch directory unless it was published. */
  @Override
  public void close() throws IOException {
    if (!published) {
      delete(scratch);
    }
  }

  private static void requireReplaceable(Path target, Existing existing, Set<String> own)
      throws IOException {
    if (!Files.exists(target, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    if (!Files.isDirectory(target, LinkOption.NOFOLLOW_LINKS)) {
      throw new FileSystemException(target.toString(), null, "--out exists and is no directory");
    }
    final List<String> names;
    try (Stream<Path> entries = Files.list(target)) {
      names = entries.map(entry -> String.valueOf(entry.getFileName())).sorted().toList();
    }
    for (String name : names) {
      if (!own.contains(name)) {
        throw new FileSystemException(
            target.toString(),
            null,
            "--out exists and holds more than a run, so it will not be replaced: file=" + name);
      }
    }
    if (existing == Existing.REFUSED && !names.isEmpty()) {
      throw new FileAlreadyExistsException(
          target.toString(), null, "--out exists; --overwrite replaces it");
    }
  }

  private static Path unusedBeside(Path parent, String name) throws IOException {
    for (int attempt = 0; ; attempt++) {
      try {
        return Files.createDirectory(parent.resolve("." + name + ".tmp-" + attempt));
      } catch (FileAlreadyExistsException taken) {
        if (attempt == 1_000) {
          throw taken;
        }
      }
    }
  }

  private static void delete(Path directory) throws IOException {
    Files.walkFileTree(
        directory,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.delete(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException failure)
              throws IOException {
            if (failure != null) {
              throw failure;
            }
            Files.delete(visited);
            return FileVisitResult.CONTINUE;
          }
        });
  }
}
