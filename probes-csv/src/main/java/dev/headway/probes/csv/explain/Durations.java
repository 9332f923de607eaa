package dev.headway.probes.csv.explain;

import java.util.Locale;

/** Nanoseconds for people. */
final class Durations {

  private static final String[] UNITS = {"ns", "us", "ms", "s"};
  private static final long NS_PER_SECOND = 1_000_000_000;
  private static final int MINUTE = 60;

  private Durations() {}

  /**
   * Three digits in the unit that suits it: {@code 812 ns}, {@code 2.13 us}, {@code 58 min 2 s}.
   */
  static String human(long ns) {
    if (ns < 0) {
      return "-" + human(-ns);
    }
    if (ns >= MINUTE * NS_PER_SECOND) {
      final long seconds = Math.round((double) ns / NS_PER_SECOND);
      return seconds / MINUTE + " min " + seconds % MINUTE + " s";
    }
    int unit = 0;
    double value = ns;
    while (unit < UNITS.length - 1 && value >= 999.5) {
      value /= 1_000;
      unit++;
    }
    return number(unit, value) + " " + UNITS[unit];
  }

  /** As people and as programs read it: {@code 2.13 us (2,130 ns)}. */
  static String both(long ns) {
    return Math.abs(ns) < 1_000 ? exact(ns) : human(ns) + " (" + exact(ns) + ")";
  }

  static String exact(long ns) {
    return count(ns) + " ns";
  }

  static String count(long value) {
    return String.format(Locale.ROOT, "%,d", value);
  }

  private static String number(int unit, double value) {
    final String pattern = unit == 0 || value >= 99.95 ? "%.0f" : value >= 9.995 ? "%.1f" : "%.2f";
    return String.format(Locale.ROOT, pattern, value);
  }
}
