package dev.headway.simulation.workload;

import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Counts the rows of a file, and those that are no request by reason. One thread at a time. */
public final class LeftOutRows {
  private final String file;
  private final Map<LeftOut, Long> leftOut = new EnumMap<>(LeftOut.class);
  private long rows;
  private @Nullable String first;

  /** Counts rows of {@code file}. */
  public LeftOutRows(String file) {
    this.file = file;
  }

  /** Counts a row that is a request. */
  public void taken() {
    rows++;
  }

  /** Counts a row that is none. */
  public void leftOut(long line, LeftOut reason) {
    rows++;
    leftOut.merge(reason, 1L, Long::sum);
    if (first == null) {
      first = "file=" + file + ", line=" + line + ", row " + reason.label();
    }
  }

  /** The counts so far. */
  public Adjustments adjustments() {
    return adjustments(Map.of());
  }

  /** The counts so far, with what else is to be said. */
  Adjustments adjustments(Map<String, Long> notes) {
    return new Adjustments(rows, leftOut, first, notes, 0, 0);
  }
}
