package dev.headway.simulation.workload;

import java.io.Serial;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * When the last row of each session arrived, for rows that say only how long after it they come.
 * The session that was seen the longest ago is forgotten first.
 */
final class SessionTimes {
  private static final int MOST_SESSIONS = 1 << 18;

  private final CellParser cells;
  private final Map<String, Long> lastNs = new Remembered();

  SessionTimes(CellParser cells) {
    this.cells = cells;
  }

  /** Keeps the arrival of a row that belongs to a session, where rows may refer to it. */
  void arrived(RowAssembler.Fields fields, long arrivalNs) {
    final String session = fields.text("session_id");
    if (session != null) {
      lastNs.put(session, arrivalNs);
    }
  }

  /** The arrival of a row without a time. */
  long laterTurnNs(RowAssembler.Fields fields) {
    final String session = Objects.requireNonNull(fields.text("session_id"), "session_id");
    final Long before = lastNs.get(session);
    if (before == null) {
      throw cells.unreadable(
          fields.line(), "timestamp", null, "must be given in the first row of a session");
    }
    final String column = fields.text("delay_ms") == null ? "delay" : "delay_ms";
    final long delayNs =
        cells.decimalNs(fields.line(), column, fields.text(column), 6, "milliseconds");
    return Math.addExact(before, delayNs);
  }

  private static final class Remembered extends LinkedHashMap<String, Long> {
    @Serial private static final long serialVersionUID = 1L;

    Remembered() {
      super(16, 0.75f, true);
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
      return size() > MOST_SESSIONS;
    }
  }
}
