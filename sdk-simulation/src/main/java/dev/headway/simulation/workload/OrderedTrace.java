package dev.headway.simulation.workload;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Comparator;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Puts rows in order of arrival with a bounded look-ahead.
 *
 * <p>Real traces have small inversions, since their writers log at completion or from several
 * threads; sorting a whole file would need memory in proportion to it. So a window of rows is kept
 * as a heap (equal arrivals keep the order of the file) and a row that comes too late for it is an
 * error, never moved to another time. The first row handed out is the earliest of the first window;
 * where the format's times have another zero, as dates do, it is the zero of the trace.
 */
final class OrderedTrace implements Workload {
  private static final Comparator<TraceRow> BY_ARRIVAL =
      Comparator.comparingLong(TraceRow::arrivalNs).thenComparingLong(TraceRow::line);

  private final String file;
  private final RowSource rows;
  private final boolean isRelative;
  private final TraceLimits limits;
  private final PriorityQueue<TraceRow> window = new PriorityQueue<>(BY_ARRIVAL);
  private final LeftOutRows counted;
  private long windowIds;
  private long windowRequests;
  private long lastArrivalNs = Long.MIN_VALUE;
  private long originNs;
  private boolean exhausted;

  OrderedTrace(String file, RowSource rows, boolean isRelative, TraceLimits limits) {
    this.file = file;
    this.rows = rows;
    this.isRelative = isRelative;
    this.limits = limits;
    this.counted = new LeftOutRows(file);
  }

  @Override
  public String name() {
    return file;
  }

  @Override
  public OptionalLong sizeHint() {
    return exhausted ? OptionalLong.of(windowRequests) : OptionalLong.empty();
  }

  @Override
  public @Nullable WorkloadRequest next() {
    while (true) {
      fill();
      final TraceRow row = window.poll();
      if (row == null) {
        return null;
      }
      final WorkloadRequest request = row.request();
      if (request != null) {
        return taken(request);
      }
      counted.leftOut(row.line(), Objects.requireNonNull(row.leftOut(), "leftOut"));
    }
  }

  private void fill() {
    try {
      fillWindow();
    } catch (IOException e) {
      close();
      throw new UncheckedIOException("trace must stay readable: file=" + file, e);
    } catch (TraceFormatException e) {
      close();
      throw e;
    }
  }

  private void fillWindow() throws IOException {
    while (!exhausted
        && window.size() < limits.maxWindowRows()
        && windowIds < limits.maxWindowIds()) {
      final TraceRow row = rows.next();
      if (row == null) {
        exhausted = true;
      } else {
        requireInWindow(row);
        window.add(row);
        windowIds += row.prefixBlocks();
        windowRequests += row.request() == null ? 0 : 1;
      }
    }
  }

  private void requireInWindow(TraceRow row) {
    if (row.request() != null && row.arrivalNs() < lastArrivalNs) {
      throw new TraceFormatException(
          ("arrivals may be out of order by at most %d rows (or %d prefix blocks), else sort the"
                  + " trace: file=%s, line=%d, lateByNs=%d")
              .formatted(
                  limits.maxWindowRows(),
                  limits.maxWindowIds(),
                  file,
                  row.line(),
                  lastArrivalNs - row.arrivalNs()));
    }
  }

  private WorkloadRequest taken(WorkloadRequest request) {
    counted.taken();
    if (lastArrivalNs == Long.MIN_VALUE && isRelative) {
      originNs = request.arrivalNs();
    }
    lastArrivalNs = request.arrivalNs();
    windowIds -= request.prefixBlockCount();
    windowRequests--;
    return originNs == 0 ? request : request.withArrivalNs(lastArrivalNs - originNs);
  }

  @Override
  public Adjustments adjustments() {
    return counted.adjustments(rows.notes());
  }

  @Override
  public void close() {
    exhausted = true;
    window.clear();
    windowIds = 0;
    windowRequests = 0;
    try {
      rows.close();
    } catch (IOException e) {
      // Nothing was written, so a file that will not close has nothing left to lose.
    }
  }
}
