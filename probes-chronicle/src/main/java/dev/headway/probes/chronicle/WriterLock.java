package dev.headway.probes.chronicle;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Distinguishes a run that is being written from one whose writer died: a lock of the operating
 * system on {@value #NAME} in its directory, which ends with the process, whatever ends that. Where
 * files cannot be locked nothing is known, and nothing fails.
 *
 * <p>Closing any channel of a file takes the locks of the whole process from it, so the runs of
 * this process are known by a list and their files are not opened again. Any thread.
 */
final class WriterLock implements AutoCloseable {

  static final String NAME = "writer.lock";

  /** Runs that this process is writing. */
  private static final Set<Path> OWN = ConcurrentHashMap.newKeySet();

  private final Path run;
  private final @Nullable FileChannel channel;

  private WriterLock(Path run, @Nullable FileChannel channel) {
    this.run = run;
    this.channel = channel;
  }

  /** Takes the lock of a run, until it is closed. */
  static WriterLock take(Path run) {
    final Path real = real(run);
    OWN.add(real);
    return new WriterLock(real, locked(run.resolve(NAME)));
  }

  /** Whether a run is being written. */
  static boolean isHeld(Path run) {
    if (OWN.contains(real(run))) {
      return true;
    }
    final Path file = run.resolve(NAME);
    if (!Files.isRegularFile(file)) {
      return false;
    }
    try (FileChannel read = FileChannel.open(file, StandardOpenOption.READ);
        FileLock shared = read.tryLock(0, Long.MAX_VALUE, true)) {
      return shared == null;
    } catch (OverlappingFileLockException e) { // this process, by another path
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /** Whether {@link #isHeld} knows, of a run without an end. */
  static boolean isKnown(Path run) {
    return Files.isRegularFile(run.resolve(NAME));
  }

  /** Gives the lock back and deletes its file. */
  @Override
  public void close() throws IOException {
    OWN.remove(run);
    if (channel != null) {
      try (channel) { // releases the lock, whether or not the file can be deleted
        Files.deleteIfExists(run.resolve(NAME));
      }
    }
  }

  private static @Nullable FileChannel locked(Path file) {
    FileChannel opened = null;
    try {
      opened = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
      if (opened.tryLock() != null) {
        return opened; // held until it is closed
      }
    } catch (IOException | UnsupportedOperationException e) {
      // nothing is known, and nothing fails
    }
    discard(opened, file);
    return null;
  }

  private static void discard(@Nullable FileChannel opened, Path file) {
    try {
      if (opened != null) {
        opened.close();
        Files.deleteIfExists(file); // it would say that the writer is known to be dead
      }
    } catch (IOException e) {
      // it held nothing
    }
  }

  private static Path real(Path run) {
    try {
      return run.toRealPath();
    } catch (IOException e) {
      return run.toAbsolutePath().normalize();
    }
  }
}
