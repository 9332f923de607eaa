package dev.headway.probes.chronicle;

import dev.headway.api.probe.MappedMemoryProbe;
import dev.headway.events.record.DroppedRecord;
import dev.headway.events.record.RecordBuffer;
import dev.headway.events.record.RecordSink;
import dev.headway.events.record.RunEndedRecord;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives records their place in the run, and decides what happens when one cannot be appended.
 *
 * <pre>
 * NEW ─▶ ON ─▶ FULL     no room and none to be had: drops; the end is still recorded
 *         │ └▶ BROKEN   an append failed, its record may be torn, or the file was removed: drops,
 *         │             writes nothing more
 *         ▼
 *       CLOSED
 * </pre>
 *
 * <p>Engine thread, but for the counters. Nothing that the file does comes out as an exception.
 */
final class JournalWriter implements RecordSink {

  private static final Logger LOG = LoggerFactory.getLogger(JournalWriter.class);

  /** Room for the records DROPPED and RUN_ENDED and the headers around them. */
  private static final int RESERVE_BYTES = 128;

  private enum State {
    NEW,
    ON,
    FULL,
    BROKEN,
    CLOSED
  }

  private final JournalStore store;
  private final JournalFlusher flusher;
  private final AtomicLong written;
  private final int flushIterations;
  private final AtomicLong dropped = new AtomicLong();
  private final RecordBuffer notice = new RecordBuffer(64);
  private volatile State state = State.NEW;
  private long runId;
  private boolean isVirtualTime;
  private long unreported;
  private long flushRequestedAt;
  private int stepsSinceFlush;
  private long latestNs;

  private JournalWriter(
      JournalStore store, AtomicLong written, JournalOptions options, JournalHost host) {
    this.store = store;
    this.written = written;
    this.flushIterations = options.flushIterations();
    this.flusher =
        new JournalFlusher(store.directory(), store.space(), written, options.flushSeconds(), host);
  }

  static JournalWriter open(Path directory, JournalOptions options, JournalHost host)
      throws IOException {
    final JournalStore store =
        JournalStore.create(directory, options.blockSizeBytes(), options.aheadBytes(), host);
    LOG.info("journal opened: dir={}, level={}", store.directory(), options.level().label());
    return new JournalWriter(store, new AtomicLong(), options, host);
  }

  Path directory() {
    return store.directory();
  }

  boolean isOn() {
    return state == State.ON;
  }

  long written() {
    return written.get();
  }

  long dropped() {
    return dropped.get();
  }

  long flushed() {
    return flusher.flushedRecords();
  }

  /** Appends the start record and starts the threads. */
  @Override
  public void start(RecordBuffer record, long id, boolean virtualTime) {
    if (state != State.NEW) {
      throw new IllegalStateException(
          "a journal takes one run: dir=" + directory() + ", state=" + state);
    }
    state = State.ON;
    runId = id;
    isVirtualTime = true; // the run has not begun: wait for room
    append(record);
    isVirtualTime = virtualTime;
    store.space().start();
    flusher.start();
  }

  @Override
  public boolean accepts() {
    final State now = state;
    if (now == State.ON) {
      return true;
    }
    if (now == State.NEW) {
      throw new IllegalStateException(
          "onRunStarted must come before any event: dir=" + directory());
    }
    if (now != State.CLOSED) {
      drop();
    }
    return false;
  }

  @Override
  public boolean accepts(long nowNs) {
    noteInstant(nowNs);
    return accepts();
  }

  /** Notes an instant of the run. */
  private void noteInstant(long nowNs) {
    if (nowNs > latestNs) {
      latestNs = nowNs;
    }
  }

  /** Appends a record, or counts it as dropped. Never throws; blocks in virtual time only. */
  @Override
  public void append(RecordBuffer record) {
    // Chronicle and FileChannel close their file on a thread whose interrupt is pending
    final boolean interrupted = Thread.interrupted();
    try {
      if (makeRoom(record.length())) {
        reportDrops();
        write(record);
      } else {
        drop();
      }
    } catch (RuntimeException | Error e) {
      drop();
      switchOff(State.BROKEN, e);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @Override
  public void stepCompleted() {
    if (++stepsSinceFlush >= flushIterations) {
      stepsSinceFlush = 0;
      requestFlush();
    }
  }

  @Override
  public void idle(long nowNs) {
    noteInstant(nowNs);
    requestFlush();
  }

  private void requestFlush() {
    if (flusher.isFileGone() && state == State.ON) {
      switchOff(
          State.BROKEN,
          new NoSuchFileException(
              directory().toString(), null, "the journal was removed while it was written"));
    }
    final long now = written.get();
    if (now != flushRequestedAt) {
      flushRequestedAt = now;
      flusher.request();
    }
  }

  @Override
  public void close() {
    final boolean interrupted = Thread.interrupted();
    final State before = state;
    state = State.CLOSED;
    try {
      if (before == State.ON || before == State.FULL) {
        reportDrops();
        RunEndedRecord.encode(notice, latestNs);
        write(notice);
      }
    } catch (RuntimeException | Error e) {
      LOG.error("journal has no end record: dir={}, cause={}", directory(), e.toString());
    } finally {
      closeFiles(before);
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void closeFiles(State before) {
    if (before == State.CLOSED) {
      return;
    }
    flusher.close();
    try {
      if (before == State.NEW) {
        store.discard();
      } else {
        store.close();
      }
    } catch (IOException | RuntimeException | Error e) {
      LOG.error("journal could not be closed: dir={}, cause={}", directory(), e.toString());
    }
  }

  private boolean makeRoom(int length) {
    while (!store.hasRoom(length, RESERVE_BYTES)) {
      if (!isVirtualTime) {
        final IOException failure = store.space().failure();
        if (failure != null) {
          switchOff(State.FULL, failure);
        }
        return false;
      }
      try {
        store.space().extend();
      } catch (IOException e) {
        switchOff(State.FULL, e);
        return false;
      }
    }
    return true;
  }

  private void reportDrops() {
    if (unreported > 0) {
      DroppedRecord.encode(notice, unreported);
      write(notice);
      unreported = 0;
    }
  }

  private void write(RecordBuffer record) {
    final long sequence = written.getPlain() + 1;
    final int length = record.finish(sequence, runId); // may put the record into a larger array
    store.append(record.array(), length);
    MappedMemoryProbe.surfaceFaults();
    written.setRelease(sequence);
  }

  private void drop() {
    unreported++;
    dropped.setRelease(dropped.getPlain() + 1);
  }

  private void switchOff(State next, Throwable cause) {
    state = next;
    LOG.error(
        "journal switched off, scheduling goes on without it: dir={}, freeBytes={}, written={},"
            + " cause={}",
        directory(),
        Disk.freeBytes(directory()),
        written.get(),
        cause.toString());
  }
}
