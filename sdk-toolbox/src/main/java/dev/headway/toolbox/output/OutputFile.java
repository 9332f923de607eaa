package dev.headway.toolbox.output;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * A file that is written beside its place and renamed when it is complete. Closing it removes what
 * was not published. One thread.
 */
public final class OutputFile implements AutoCloseable {

  private final Path target;
  private final Path scratch;

  private OutputFile(Path target, Path scratch) {
    this.target = target;
    this.scratch = scratch;
  }

  /**
   * Makes an empty scratch file beside {@code target}, whose suffix it keeps.
   *
   * @throws FileSystemException if {@code target} may not be replaced
   * @throws IOException if the file cannot be made
   */
  public static OutputFile prepare(Path target, OverwriteMode mode) throws IOException {
    check(target, mode);
    final Path absolute = target.toAbsolutePath().normalize();
    return new OutputFile(absolute, Beside.make(absolute, Files::createFile));
  }

  /**
   * Asks whether a file may be written, before long work for it.
   *
   * @throws FileSystemException if {@code target} may not be replaced, or is in no directory
   */
  public static void check(Path target, OverwriteMode mode) throws FileSystemException {
    final Path absolute = target.toAbsolutePath().normalize();
    if (Files.isDirectory(absolute)) {
      throw new FileSystemException(target.toString(), null, "the output is a directory");
    }
    final Path parent = absolute.getParent();
    if (parent != null && !Files.isDirectory(parent)) { // rather a misspelt name than a new one
      throw new FileSystemException(
          target.toString(), null, "there is no such directory; make it first: mkdir -p " + parent);
    }
    if (mode == OverwriteMode.REFUSE && Files.exists(absolute)) {
      throw new FileAlreadyExistsException(
          target.toString(), null, "the output exists; --overwrite replaces it");
    }
  }

  /** The file to write. */
  public Path scratch() {
    return scratch;
  }

  /** Renames the scratch file, which must be closed, to the target. */
  public void publish() throws IOException {
    Files.move(scratch, target, StandardCopyOption.REPLACE_EXISTING);
  }

  @Override
  public void close() throws IOException {
    Files.deleteIfExists(scratch);
  }
}
