package dev.headway.probes.chronicle;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.core.Jvm;
import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.queue.RollCycle;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueue;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueueBuilder;
import net.openhft.chronicle.queue.rollcycles.SparseRollCycles;
import net.openhft.chronicle.wire.DocumentContext;
import net.openhft.chronicle.wire.Wire;

/**
 * The Chronicle queue of one run: a directory with one {@code .cq4} file that never rolls, because
 * the queue's clock is constant.
 *
 * <p>One thread at a time appends; appending allocates nothing.
 */
final class JournalStore implements AutoCloseable {

  /** More than Chronicle puts between two records: a page of its index, and its index of pages. */
  static final int MARGIN_BYTES = 256 << 10;

  private static final int TABLE_BYTES = 128 << 10;

  /**
   * An index entry per 2^20 records: Chronicle keeps the block of every page of its index mapped,
   * and with one entry per 256 records there was a page per 330 MB of journal. Our reader does not
   * use the index.
   */
  private static final RollCycle CYCLE = SparseRollCycles.LARGE_HOURLY_XSPARSE;

  private final Path directory;
  private final WriterLock lock;
  private final JournalSpace space;
  private final SingleChronicleQueue queue;
  private final ExcerptAppender appender;
  private long end = MARGIN_BYTES;

  private JournalStore(
      Path directory,
      WriterLock lock,
      JournalSpace space,
      SingleChronicleQueue queue,
      ExcerptAppender appender) {
    this.directory = directory;
    this.lock = lock;
    this.space = space;
    this.queue = queue;
    this.appender = appender;
    appender.singleThreadedCheckDisabled(true);
  }

  /**
   * Makes {@code run-N} in {@code parent}, N one more than the largest there.
   *
   * @throws JournalException if the JVM lacks a flag, or the directory is not writable or full
   */
  static JournalStore create(Path parent, long blockBytes, long aheadBytes) throws IOException {
    requireJvmFlags();
    ChronicleLoaded.once();
    try {
      return createRun(RunDirectories.create(parent), blockBytes, aheadBytes);
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

  private static JournalStore createRun(Path run, long blockBytes, long aheadBytes)
      throws IOException {
    final long openedMs = System.currentTimeMillis();
    final WriterLock lock = WriterLock.take(run);
    try {
      Files.write(run.resolve("metadata.cq4t"), new byte[TABLE_BYTES]);
      final SingleChronicleQueue queue = queue(run, openedMs, blockBytes);
      try {
        // the appender first: it waits ten seconds for the header of a file that is there before it
        final ExcerptAppender appender = queue.createAppender();
        final Path file = run.resolve(fileName(openedMs));
        return new JournalStore(
            run, lock, JournalSpace.create(file, blockBytes, aheadBytes), queue, appender);
      } catch (IOException | RuntimeException | InternalError e) {
        queue.close();
        throw e;
      }
    } catch (IOException | RuntimeException | InternalError e) {
      lock.close();
      delete(run);
      throw e;
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
    try (DocumentContext document = appender.writingDocument()) {
      write(document, record, length);
    }
    space.used(end);
  }

  private void write(DocumentContext document, byte[] record, int length) {
    final Wire wire = document.wire();
    if (wire == null) {
      throw new IllegalStateException("queue gave no wire to write to: dir=" + directory);
    }
    final Bytes<?> bytes = wire.bytes();
    final long start = bytes.writePosition();
    try {
      bytes.write(record, 0, length);
    } catch (RuntimeException | Error e) {
      document.rollbackOnClose();
      throw e;
    }
    end = start + length;
  }

  /** Closes the queue, gives back what was allocated ahead and forces the rest to the device. */
  @Override
  public void close() throws IOException {
    try (lock;
        space) {
      appender.close();
      queue.close();
      space.finish(lastByte());
    }
  }

  /** Closes the queue and deletes the run, which has no record. */
  void discard() throws IOException {
    try (lock;
        space) {
      appender.close();
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
   * Returns the data file of a run.
   *
   * @throws JournalException unless there is exactly one
   */
  static Path onlyFile(Path run) throws IOException {
    try (var files = Files.list(run)) {
      final var found =
          files.filter(file -> file.toString().endsWith(SingleChronicleQueue.SUFFIX)).toList();
      if (found.size() != 1) {
        throw new JournalException(
            "journal run must have exactly one .cq4 file: dir=" + run + ", found=" + found);
      }
      return found.get(0);
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

  private static SingleChronicleQueue queue(Path run, long openedMs, long blockBytes) {
    return SingleChronicleQueueBuilder.single(run.toFile())
        .rollCycle(CYCLE)
        .timeProvider(() -> openedMs)
        .blockSize(blockBytes)
        .checkInterrupts(false)
        .build();
  }

  private static String fileName(long openedMs) {
    return DateTimeFormatter.ofPattern(CYCLE.format())
            .withZone(ZoneOffset.UTC)
            .format(Instant.ofEpochMilli(openedMs))
        + SingleChronicleQueue.SUFFIX;
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
