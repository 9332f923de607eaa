package dev.headway.probes.csv;

import dev.headway.probes.csv.option.Overwrite;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * A file that is written beside its place and appears there when it is complete. Closed before
 * that, it leaves no trace. One thread.
 */
public final class AsideFile implements AutoCloseable {

  private final Path target;
  private final Path scratch;
  private final OutputStream out;
  private boolean published;

  private AsideFile(Path target, Path scratch, OutputStream out) {
    this.target = target;
    this.scratch = scratch;
    this.out = out;
  }

  /**
   * Makes sure that a file may be written, without making it.
   *
   * @throws FileSystemException if it exists and may not be replaced, or its directory does not
   */
  public static void check(Path target, Overwrite overwrite) throws FileSystemException {
    if (Files.isDirectory(target)) {
      throw new FileSystemException(target + " is a directory, a file is needed");
    }
    if (Files.exists(target) && overwrite == Overwrite.REFUSE) {
      throw new FileAlreadyExistsException(target + " exists; --overwrite replaces it");
    }
    if (!Files.isDirectory(directoryOf(target))) {
      throw new NoSuchFileException("there is no directory " + directoryOf(target));
    }
  }

  /**
   * Begins a file.
   *
   * @throws IOException if it may not be replaced or cannot be written
   */
  public static AsideFile begin(Path target, Overwrite overwrite) throws IOException {
    check(target, overwrite);
    final Path scratch =
        directoryOf(target)
            .resolve("." + target.getFileName() + "." + ProcessHandle.current().pid() + ".part");
    final OutputStream out =
        Files.newOutputStream(
            scratch,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE);
    return new AsideFile(target, scratch, out);
  }

  /** Where to write. Closing it is allowed and not needed. */
  public OutputStream stream() {
    return out;
  }

  /** Puts the complete file into its place. */
  public void publish() throws IOException {
    out.close();
    try {
      Files.move(
          scratch, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (AtomicMoveNotSupportedException e) {
      Files.move(scratch, target, StandardCopyOption.REPLACE_EXISTING);
    }
    published = true;
  }

  @Override
  public void close() throws IOException {
    if (!published) {
      try {
        out.close();
      } finally {
        Files.deleteIfExists(scratch);
      }
    }
  }

  private static Path directoryOf(Path target) {
    final Path parent = target.toAbsolutePath().getParent();
    return parent == null ? target.toAbsolutePath() : parent;
  }
}
