package dev.headway.report.explain;

import dev.headway.toolbox.text.Human;

/** Nanoseconds for people and for programs, in ASCII. */
final class Durations {

  private Durations() {}

  /** As people read it: {@code 2.13 us}. */
  static String human(long ns) {
    return Human.plainDuration(ns);
  }

  /** As people and as programs read it: {@code 2.13 us (2,130 ns)}. */
  static String both(long ns) {
    return Math.abs(ns) < 1_000 ? exact(ns) : human(ns) + " (" + exact(ns) + ")";
  }

  static String exact(long ns) {
    return count(ns) + " ns";
  }

  static String count(long value) {
    return Human.count(value);
  }
}
