package dev.headway.probes.chronicle;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import net.openhft.chronicle.core.Jvm;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueue;
import org.jspecify.annotations.Nullable;

/**
 * The files of one run: a directory with one {@code .cq4} file, a Chronicle queue.
 *
 * <p>One thread at a time appends; appending allocates nothing.
 */
final class JournalStore implements AutoCloseable {

  /** More than Chronicle puts between two records: a page of its index, and its index of pages. */
  static final int MARGIN_BYTES = 256 << 10;

  private static final int TABLE_BYTES = 128 << 10;

  private final Path directory;
  private final WriterLock lock;
  private final JournalSpace space;
  private final RecordQueue queue;
  private long end = MARGIN_BYTES;

  private JournalStore(Path directory, WriterLock lock, JournalSpace space, RecordQueue queue) {
    this.directory = directory;
    this.lock = lock;
    this.space = space;
    this.queue = queue;
  }

  /**
   * Makes {@code run-N} in {@code parent}, N one more than the largest there.
   *
   * @throws JournalException if the JVM lacks a flag, or the directory is not writable or full
   */
  static JournalStore create(Path parent, long blockBytes, long aheadBytes, JournalHost host)
      throws IOException {
    requireJvmFlags();
    ChronicleLoaded.once();
    try {
      return createRun(RunDirectories.create(parent), blockBytes, aheadBytes, host);
    } catch (JournalException e) {
      throw e;
    } catch (IOException | RuntimeException | InternalError e) {
      throw new JournalException(
          "journal directory must be writable and have room: dir="
              + parent
              + ", freeBytes="
              + Disk.freeBytes(parent)
              + ", cause="
              + e,
          e);
    }
  }

  private static JournalStore createRun(
      Path run, long blockBytes, long aheadBytes, JournalHost host) throws IOException {
    final long openedMs = System.currentTimeMillis();
    final WriterLock lock = WriterLock.take(run);
    try {
      Files.write(run.resolve("metadata.cq4t"), new byte[TABLE_BYTES]);
      // the queue first: it waits ten seconds for the header of a file that is there before it
      final RecordQueue queue = host.queues().open(run, openedMs, blockBytes);
      try {
        final Path file = run.resolve(ChronicleQueueFile.fileName(openedMs));
        return new JournalStore(
            run, lock, JournalSpace.create(file, blockBytes, aheadBytes, host), queue);
      } catch (IOException | RuntimeException | InternalError e) {
        queue.close();
        throw e;
      }
    } catch (IOException | RuntimeException | InternalError e) {
      removeAfter(e, run, lock);
      throw e;
    }
  }

  /** Leaves no run behind that could not be opened, unless that fails too. */
  private static void removeAfter(Throwable cause, Path run, WriterLock lock) {
    try {
      try (lock) {
        // releases it
      }
      delete(run);
    } catch (IOException e) {
      cause.addSuppressed(e);
    }
  }

  /** Where the run's files are. */
  Path directory() {
    return directory;
  }

  /** The run's allocated space. */
  JournalSpace space() {
    return space;
  }

  /** Bytes of the file that are in use, Chronicle's own included. */
  long end() {
    return end;
  }

  /** Whether {@code length} bytes can be appended, with {@code reserve} to spare. */
  boolean hasRoom(int length, int reserve) {
    return end + length + reserve + MARGIN_BYTES <= space.allocated();
  }

  /**
   * Appends the first {@code length} bytes of {@code record} as one excerpt.
   *
   * @throws RuntimeException or {@link InternalError} if it failed; the excerpt may then be torn
   */
  void append(byte[] record, int length) {
    end = queue.append(record, length);
    space.used(end);
  }

  /** Closes the queue, gives back what was allocated ahead and forces the rest to the device. */
  @Override
  public void close() throws IOException {
    try (lock;
        space) {
      queue.close();
      space.finish(lastByte());
    }
  }

  /** Closes the queue and deletes the run, which has no record. */
  void discard() throws IOException {
    try (lock;
        space) {
      queue.close();
    }
    delete(directory);
  }

  /** Chronicle may have put a page of its index behind the last record. */
  private long lastByte() throws IOException {
    long at = end;
    for (int header = space.intAt(at); header != 0; header = space.intAt(at)) {
      at = (at + 4 + (header & 0x3FFF_FFFF) + 3) & -4L;
    }
    return at;
  }

  /**
   * Returns the data file of a run, or null if its writer had come to make none.
   *
   * @throws JournalException if there is more than one
   */
  static @Nullable Path dataFile(Path run) throws IOException {
    try (var files = Files.list(run)) {
      final var found =
          files.filter(file -> file.toString().endsWith(SingleChronicleQueue.SUFFIX)).toList();
      if (found.size() > 1) {
        throw new JournalException(
            "journal run must have one .cq4 file: dir=" + run + ", found=" + found);
      }
      return found.isEmpty() ? null : found.get(0);
    }
  }

  /** Deletes a run directory that this object has made. */
  private static void delete(Path run) throws IOException {
    try (var files = Files.list(run)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(run);
  }

  private static void requireJvmFlags() throws JournalException {
    final Module base = Object.class.getModule();
    final Module chronicle = Jvm.class.getModule();
    final StringBuilder missing = new StringBuilder();
    if (!base.isOpen("java.lang.reflect", chronicle)) {
      missing.append(" --add-opens=java.base/java.lang.reflect=ALL-UNNAMED");
    }
    if (!base.isExported("sun.nio.ch", chronicle)) {
      missing.append(" --add-exports=java.base/sun.nio.ch=ALL-UNNAMED");
    }
    if (!missing.isEmpty()) {
      throw new JournalException(
          "journal needs JVM flags, for Chronicle Queue to map files: add" + missing);
    }
  }
}
