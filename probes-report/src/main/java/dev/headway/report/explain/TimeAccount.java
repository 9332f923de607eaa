package dev.headway.report.explain;

import dev.headway.events.model.Cause;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Where the time of a request went. Every nanosecond is booked to exactly one line, so the lines
 * add up to the time from the first instant to the last; instants are never clamped.
 */
final class TimeAccount {

  /**
   * A line of the account.
   *
   * @param label wait reason, or what a running request did
   * @param root the same, with {@code head_of_line} replaced by the reason of the request ahead
   * @param ns time booked
   * @param beforeFirstTokenNs share of it before the first token; 0 if there was none
   */
  record Line(AccountPhase phase, String label, String root, long ns, long beforeFirstTokenNs) {}

  private record Key(AccountPhase phase, String label, String root) {}

  private static final class Booked {
    long ns;
    long beforeFirstTokenNs;
  }

  private final Map<Key, Booked> lines = new LinkedHashMap<>();
  private Key open;
  private long sinceNs;
  private long totalNs;

  /** Time begins to be spent. */
  TimeAccount(AccountPhase phase, String label, long nowNs) {
    this.open = new Key(phase, label, label);
    this.sinceNs = nowNs;
  }

  /** From here on time is spent on something else, or still on the same. */
  void change(AccountPhase phase, String label, long nowNs) {
    change(new Key(phase, label, label), nowNs);
  }

  /** From here on it waits for this, or still does. */
  void change(AccountPhase phase, Cause cause, long nowNs) {
    change(new Key(phase, cause.reason(), cause.root()), nowNs);
  }

  private void change(Key next, long nowNs) {
    if (!open.equals(next)) {
      book(nowNs);
      open = next;
    }
  }

  /** What was booked so far is what the first token took. */
  void markFirstToken(long nowNs) {
    book(nowNs);
    lines.values().forEach(booked -> booked.beforeFirstTokenNs = booked.ns);
  }

  /** Nothing more is spent. */
  void close(long nowNs) {
    book(nowNs);
  }

  /** The lines in the order in which they were first used; none is empty. */
  List<Line> lines() {
    return lines.entrySet().stream()
        .filter(line -> line.getValue().ns != 0)
        .map(
            line ->
                new Line(
                    line.getKey().phase,
                    line.getKey().label,
                    line.getKey().root,
                    line.getValue().ns,
                    line.getValue().beforeFirstTokenNs))
        .toList();
  }

  /** Sum of all lines. */
  long totalNs() {
    return totalNs;
  }

  private void book(long nowNs) {
    final long ns = nowNs - sinceNs;
    lines.computeIfAbsent(open, key -> new Booked()).ns += ns;
    totalNs += ns;
    sinceNs = nowNs;
  }
}
