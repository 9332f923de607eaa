package dev.headway.probes.chronicle;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Forces a journal to the device on its own thread, when asked and when the period is over.
 *
 * <p>A reader sees a record as soon as it is appended, without any of this. Flushing bounds what a
 * power failure or a crash of the operating system can take; the death of the process alone takes
 * nothing. Requests that arrive while a flush runs, or within {@value #LEAST_GAP_MS} ms of the one
 * before, become one: an engine that makes thousands of steps per second would else do little but
 * flush, and its thread take a page fault for each page flushed.
 */
final class JournalFlusher implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(JournalFlusher.class);

  private static final int LEAST_GAP_MS = 100;
  private static final long LEAST_GAP_NS = TimeUnit.MILLISECONDS.toNanos(LEAST_GAP_MS);

  private final Path directory;
  private final JournalSpace space;
  private final AtomicLong written;
  private final long periodNs;
  private final AtomicLong flushed = new AtomicLong();
  private final LongSupplier clock;
  private final Worker worker;
  private volatile boolean requested;
  private volatile boolean fileGone;
  private long lastNs;
  private boolean failed;

  /**
   * Makes a flusher that has not been started.
   *
   * @param written records appended so far
   */
  JournalFlusher(
      Path directory, JournalSpace space, AtomicLong written, int periodSeconds, JournalHost host) {
    this.directory = directory;
    this.space = space;
    this.written = written;
    this.periodNs = TimeUnit.SECONDS.toNanos(periodSeconds);
    this.clock = host.clock();
    this.lastNs = clock.getAsLong() - LEAST_GAP_NS; // the first request is met at once
    this.worker = host.workers().make("headway-journal-flush", this::flushIfDue);
  }

  void start() {
    worker.start();
  }

  /** Asks for a flush and returns at once. */
  void request() {
    requested = true;
    worker.wake();
  }

  /** Records that are on the device for sure. */
  long flushedRecords() {
    return flushed.get();
  }

  /** Whether a flush found the file removed: nothing that is appended can be read. */
  boolean isFileGone() {
    return fileGone;
  }

  @Override
  public void close() {
    worker.close();
  }

  private long flushIfDue() {
    final long nowNs = clock.getAsLong();
    final long gapNs = requested ? Math.min(LEAST_GAP_NS, periodNs) : periodNs;
    final long waitNs = lastNs + gapNs - nowNs;
    if (waitNs > 0) {
      return waitNs;
    }
    requested = false;
    lastNs = nowNs;
    flush();
    return 0;
  }

  private void flush() {
    final long records = written.get();
    if (records == flushed.get()) {
      return;
    }
    if (!space.isInPlace()) {
      fileGone = true;
      return;
    }
    try {
      space.force();
      flushed.set(records);
    } catch (IOException e) {
      if (!failed) {
        LOG.error(
            "journal cannot be forced to the device, records may be lost in a power failure: dir={},"
                + " freeBytes={}, cause={}",
            directory,
            Disk.freeBytes(directory),
            e.getMessage());
      }
      failed = true;
    }
  }
}
