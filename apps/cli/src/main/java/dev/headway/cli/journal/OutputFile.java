package dev.headway.cli.journal;

import dev.headway.probes.csv.option.Overwrite;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** A file that is written beside its place and renamed when it is complete. */
final class OutputFile implements AutoCloseable {

  private static final int ATTEMPTS = 1_000;

  private final Path target;
  private final Path scratch;

  private OutputFile(Path target, Path scratch) {
    this.target = target;
    this.scratch = scratch;
  }

  /**
   * Chooses where to write; the scratch file keeps the suffix of the target.
   *
   * @throws FileSystemException if {@code target} may not be replaced
   */
  static OutputFile prepare(Path target, Overwrite overwrite) throws IOException {
    check(target, overwrite);
    final Path absolute = target.toAbsolutePath().normalize();
    final Path parent = absolute.getParent();
    if (parent != null) {
      Files.createDirectories(parent);
    }
    return new OutputFile(absolute, createBeside(absolute));
  }

  /**
   * Asks whether a file may be written, before long work for it.
   *
   * @throws FileSystemException if {@code target} may not be replaced
   */
  static void check(Path target, Overwrite overwrite) throws FileSystemException {
    final Path absolute = target.toAbsolutePath().normalize();
    if (Files.isDirectory(absolute)) {
      throw new FileSystemException(target.toString(), null, "the output is a directory");
    }
    if (overwrite == Overwrite.REFUSE && Files.exists(absolute)) {
      throw new FileAlreadyExistsException(
          target.toString(), null, "the output exists; --overwrite replaces it");
    }
  }

  /** The file to write. */
  Path scratch() {
    return scratch;
  }

  /** Puts it in its place; it must be closed. */
  void publish() throws IOException {
    Files.move(scratch, target, StandardCopyOption.REPLACE_EXISTING);
  }

  /** Unlike a temporary file it is as readable as any other. */
  private static Path createBeside(Path target) throws IOException {
    for (int attempt = 0; ; attempt++) {
      try {
        return Files.createFile(
            target.resolveSibling(".tmp-" + attempt + "." + target.getFileName()));
      } catch (FileAlreadyExistsException taken) {
        if (attempt == ATTEMPTS) {
          throw taken;
        }
      }
    }
  }

  /** Removes what was not published. */
  @Override
  public void close() throws IOException {
    Files.deleteIfExists(scratch);
  }
}
