package dev.headway.examples.replay;

import java.util.Locale;

/** Numbers for people. */
final class Units {

  private static final double NS_PER_MS = 1e6;
  private static final double NS_PER_SECOND = 1e9;

  private Units() {}

  /** A duration in the unit that suits it: {@code 12.3 ms}, {@code 4.56 s}, {@code 58 min 22 s}. */
  static String duration(long ns) {
    final double seconds = (double) ns / NS_PER_SECOND;
    if (seconds < 1) {
      return String.format(Locale.ROOT, "%.1f ms", (double) ns / NS_PER_MS);
    }
    if (seconds < 60) {
      return String.format(Locale.ROOT, "%.2f s", seconds);
    }
    final long whole = Math.round(seconds);
    if (whole < 3_600) {
      return String.format(Locale.ROOT, "%d min %02d s", whole / 60, whole % 60);
    }
    return String.format(Locale.ROOT, "%,d h %02d min", whole / 3_600, whole % 3_600 / 60);
  }

  static String count(long value) {
    return String.format(Locale.ROOT, "%,d", value);
  }

  /** A rate with as many digits as are worth reading. */
  static String rate(double value) {
    return value < 100
        ? String.format(Locale.ROOT, "%.2f", value)
        : String.format(Locale.ROOT, "%,.0f", value);
  }

  static String percent(double share) {
    return String.format(Locale.ROOT, "%.1f %%", 100 * share);
  }

  static String mebibytes(long bytes) {
    return String.format(Locale.ROOT, "%,d MiB", bytes >> 20);
  }
}
