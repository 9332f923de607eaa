package dev.headway.probes.chronicle;

import dev.headway.api.probe.MappedMemoryProbe;
import dev.headway.events.record.EventRecorder;
import dev.headway.events.record.JournalLevel;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Writes every event to a new journal: a new directory {@code run-N} inside the journal directory.
 * Nothing that exists is ever written to, so runs never overwrite each other, and engines may share
 * a journal directory.
 *
 * <p>Engine thread, one engine. An event is one record, appended by one call to a mapped file, with
 * nothing allocated once warm. A reader sees it at once. The death of the process takes no record;
 * a power failure takes at most those since the latest flush ({@link #recordsFlushed()}), which
 * another thread makes every {@code flushIterations} steps, every {@code flushSeconds} and at the
 * end.
 *
 * <p>Space is allocated ahead by another thread, so that a full disk is found there. When it cannot
 * grow the file, one error names directory and free bytes; when what was reserved is used up, the
 * journal switches itself off, counts what it drops, and the engine goes on. What was written stays
 * valid, and the drops and the end of the run are still recorded. Should the engine outrun the
 * allocation, a run in real time drops events and records how many; a run in virtual time allocates
 * on the engine thread and drops nothing.
 */
public final class JournalProbe extends EventRecorder implements MappedMemoryProbe {

  private final JournalWriter writer;

  private JournalProbe(JournalOptions options, JournalWriter writer) {
    super(options.level(), writer);
    this.writer = writer;
  }

  /**
   * Makes a journal with default options.
   *
   * @param directory made if missing; gets a sub-directory for this run
   * @throws JournalException if the directory is not writable or full, or the JVM lacks a flag
   * @throws IllegalArgumentException if the level is off
   */
  public static JournalProbe open(Path directory, JournalLevel level) throws IOException {
    return open(JournalOptions.of(directory, level));
  }

  /**
   * Makes a journal.
   *
   * @throws JournalException if the directory is not writable or full, or the JVM lacks a flag
   * @throws IllegalArgumentException if the level is off
   */
  public static JournalProbe open(JournalOptions options) throws IOException {
    return open(options, JournalHost.MACHINE);
  }

  /** Makes a journal on a machine of its own, for tests. */
  static JournalProbe open(JournalOptions options, JournalHost host) throws IOException {
    final Path directory = options.directory();
    if (directory == null || options.level() == JournalLevel.OFF) {
      throw new IllegalArgumentException(
          "journal level must be summary, full or debug to open one: level="
              + options.level().label());
    }
    return new JournalProbe(options, JournalWriter.open(directory, options, host));
  }

  /** The directory of this run. */
  public Path directory() {
    return writer.directory();
  }

  /**
   * Whether events are recorded: not before the run starts, after the end, or when switched off.
   */
  public boolean isRecording() {
    return writer.isOn();
  }

  /** Records appended so far. Any thread. */
  public long recordsWritten() {
    return writer.written();
  }

  /** Events that got no record. Any thread. */
  public long recordsDropped() {
    return writer.dropped();
  }

  /** Records that are on the device for sure. Any thread. */
  public long recordsFlushed() {
    return writer.flushed();
  }
}
