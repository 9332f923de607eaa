package dev.headway.cli.simulate;

import dev.headway.toolbox.text.Human;
import java.util.Locale;

/** Numbers for people. */
final class Units {

  private Units() {}

  /**
   * A duration in the unit that suits it, as in the report: {@code 12.3 ms}, {@code 58 min 22 s}.
   */
  static String duration(long ns) {
    return Human.plainDuration(ns);
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
