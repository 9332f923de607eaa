package dev.headway.probes.csv.projection;

import dev.headway.probes.csv.projection.EventColumns.EventRow;
import dev.headway.probes.csv.table.CsvFile;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Puts events into the order of their timestamps; equal ones keep the order they came in.
 *
 * <p>A journal is nearly ordered: an arrival is recorded when it is queued, up to a step later. So
 * events stay here for {@value #LAG_STEPS} steps, at most {@value #CAPACITY} of them. What comes
 * later than that is written where it came and counted.
 */
final class EventLog {

  private static final int CAPACITY = 65_536;
  private static final int LAG_STEPS = 8;

  private final CsvFile<EventRow> file;
  private final long[] planInstants = new long[LAG_STEPS];
  private @Nullable EventRow[] rows = new @Nullable EventRow[1_024];
  private int head;
  private int tail;
  private long plans;
  private long writtenUpToNs = Long.MIN_VALUE;
  private long outOfOrder;

  EventLog(CsvFile<EventRow> file) {
    this.file = file;
  }

  /** Rows from here on belong to another run, whose time begins again. */
  void startRun() {
    drain();
    plans = 0;
    writtenUpToNs = Long.MIN_VALUE;
  }

  /** Adds an event. */
  void add(EventRow row) {
    makeRoom();
    final int slot = placeOf(row.timestampNs());
    System.arraycopy(rows, slot, rows, slot + 1, tail - slot);
    rows[slot] = row;
    tail++;
  }

  /** A step was planned: what is older than the steps of the lag is written. */
  void planned(long beginNs) {
    final int slot = (int) (plans++ % LAG_STEPS);
    final long oldestNs = planInstants[slot];
    planInstants[slot] = beginNs;
    if (plans > LAG_STEPS) {
      while (head < tail && timestampAt(head) < oldestNs) {
        writeFirst();
      }
    }
  }

  /** Writes everything. */
  void drain() {
    while (head < tail) {
      writeFirst();
    }
    head = 0;
    tail = 0;
  }

  /** Events that came too late for their place. */
  long outOfOrder() {
    return outOfOrder;
  }

  /** The first slot whose event is later; nearly always the tail. */
  private int placeOf(long timestampNs) {
    if (head == tail || timestampAt(tail - 1) <= timestampNs) {
      return tail;
    }
    int low = head;
    int high = tail - 1;
    while (low < high) {
      final int middle = (low + high) >>> 1;
      if (timestampAt(middle) > timestampNs) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  private void makeRoom() {
    if (tail - head == CAPACITY) {
      for (int i = 0; i < CAPACITY / 2; i++) {
        writeFirst();
      }
    }
    if (tail < rows.length) {
      return;
    }
    if (head >= rows.length / 2) {
      System.arraycopy(rows, head, rows, 0, tail - head);
      Arrays.fill(rows, tail - head, rows.length, null);
      tail -= head;
      head = 0;
    } else {
      rows = Arrays.copyOf(rows, 2 * rows.length);
    }
  }

  private void writeFirst() {
    final EventRow row = rowAt(head);
    rows[head++] = null;
    if (row.timestampNs() < writtenUpToNs) {
      outOfOrder++;
    } else {
      writtenUpToNs = row.timestampNs();
    }
    file.write(row);
  }

  private long timestampAt(int slot) {
    return rowAt(slot).timestampNs();
  }

  private EventRow rowAt(int slot) {
    final EventRow row = rows[slot];
    if (row == null) {
      throw new IllegalStateException("slot must be in [head, tail): slot=" + slot);
    }
    return row;
  }
}
