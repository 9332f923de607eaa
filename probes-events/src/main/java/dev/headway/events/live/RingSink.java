package dev.headway.events.live;

import dev.headway.events.record.DroppedRecord;
import dev.headway.events.record.RecordBuffer;
import dev.headway.events.record.RecordSink;
import dev.headway.events.record.RunEndedRecord;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * The engine's side of a {@link RecordRing}: assigns records their position in the run. Engine
 * thread.
 */
final class RingSink implements RecordSink {

  private static final long WAIT_NS = 50_000;

  /** Upper bound of the size of the record of dropped records. */
  private static final int NOTICE_BYTES = 64;

  private final RecordRing ring;
  private final Relay relay;
  private final Overflow overflow;
  private final AtomicLong written = new AtomicLong();
  private final AtomicLong dropped = new AtomicLong();
  private final RecordBuffer notice = new RecordBuffer(64);
  private long runId;
  private boolean isStarted;
  private boolean isClosed;
  private boolean waits;
  private long unreported;
  private long latestNs;

  RingSink(RecordRing ring, Relay relay, Overflow overflow) {
    this.ring = ring;
    this.relay = relay;
    this.overflow = overflow;
  }

  /** Records handed over so far. Any thread. */
  long written() {
    return written.get();
  }

  /** Events without a record. Any thread. */
  long dropped() {
    return dropped.get();
  }

  @Override
  public void start(RecordBuffer record, long id, boolean virtualTime) {
    if (isStarted) {
      throw new IllegalStateException("a live probe takes one run: written=" + written.get());
    }
    isStarted = true;
    runId = id;
    waits = true; // the run has not begun
    relay.start();
    append(record);
    waits = virtualTime || overflow == Overflow.BLOCK;
  }

  @Override
  public boolean accepts() {
    if (isStarted && !isClosed && relay.isConsuming()) {
      return true;
    }
    if (!isStarted) {
      throw new IllegalStateException("onRunStarted must come before any event");
    }
    if (!isClosed) {
      drop();
    }
    return false;
  }

  @Override
  public boolean accepts(long nowNs) {
    noteInstant(nowNs);
    return accepts();
  }

  private void noteInstant(long nowNs) {
    latestNs = Math.max(latestNs, nowNs);
  }

  @Override
  public void append(RecordBuffer record) {
    final int missing = unreported > 0 ? NOTICE_BYTES : 0;
    final int length = record.length() + missing;
    if (length > ring.longestRecord() || !makeRoom(length)) { // room for both is room for each
      drop();
      return;
    }
    if (missing > 0) {
      DroppedRecord.encode(notice, unreported);
      write(notice);
      unreported = 0;
    }
    write(record);
  }

  private boolean makeRoom(int length) {
    while (!ring.hasRoom(length)) {
      if (!waits || !relay.isConsuming()) {
        return false;
      }
      LockSupport.parkNanos(this, WAIT_NS);
    }
    return true;
  }

  private void write(RecordBuffer record) {
    final long sequence = written.getPlain() + 1;
    final int length = record.finish(sequence, runId); // may put the record into a larger array
    ring.write(record.array(), length);
    written.setRelease(sequence);
  }

  private void drop() {
    unreported++;
    dropped.setRelease(dropped.getPlain() + 1);
  }

  @Override
  public void stepCompleted() {}

  @Override
  public void idle(long nowNs) {
    noteInstant(nowNs);
  }

  @Override
  public void close() {
    if (isClosed) {
      return;
    }
    waits = true; // the run is over
    if (isStarted && relay.isConsuming()) {
      final RecordBuffer end = new RecordBuffer(64);
      RunEndedRecord.encode(end, latestNs);
      append(end);
    }
    isClosed = true;
    relay.close();
  }
}
