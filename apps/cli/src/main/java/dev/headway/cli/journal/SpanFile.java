package dev.headway.cli.journal;

import dev.headway.probes.otel.export.OtlpJsonFile;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/** A file of spans that is written beside its place and renamed when it is complete. */
final class SpanFile implements AutoCloseable {

  private static final int ATTEMPTS = 1_000;

  private final Path target;
  private final Path scratch;

  private SpanFile(Path target, Path scratch) {
    this.target = target;
    this.scratch = scratch;
  }

  /** What happens to a file that stands in the place. */
  enum Existing {
    KEPT,
    REPLACED
  }

  /**
   * Chooses where to write.
   *
   * @throws FileSystemException if {@code target} may not be replaced
   */
  static SpanFile prepare(Path target, Existing existing) throws IOException {
    final Path absolute = target.toAbsolutePath().normalize();
    if (Files.isDirectory(absolute)) {
      throw new FileSystemException(target.toString(), null, "the output is a directory");
    }
    if (existing == Existing.KEPT && Files.exists(absolute)) {
      throw new FileAlreadyExistsException(
          target.toString(), null, "the output exists; --overwrite replaces it");
    }
    final Path parent = absolute.getParent();
    if (parent != null) {
      Files.createDirectories(parent);
    }
    return new SpanFile(absolute, createBeside(absolute));
  }

  /** Unlike a temporary file it is as readable as any other. */
  private static Path createBeside(Path target) throws IOException {
    for (int attempt = 0; ; attempt++) {
      try {
        return Files.createFile(
            target.resolveSibling("." + target.getFileName() + ".tmp-" + attempt));
      } catch (FileAlreadyExistsException taken) {
        if (attempt == ATTEMPTS) {
          throw taken;
        }
      }
    }
  }

  /** Opens the file to write. */
  OtlpJsonFile open() throws IOException {
    return OtlpJsonFile.open(scratch, StandardOpenOption.WRITE);
  }

  /** Puts it in its place; it must be closed. */
  void publish() throws IOException {
    Files.move(scratch, target, StandardCopyOption.REPLACE_EXISTING);
  }

  /** Removes what was not published. */
  @Override
  public void close() throws IOException {
    Files.deleteIfExists(scratch);
  }
}
