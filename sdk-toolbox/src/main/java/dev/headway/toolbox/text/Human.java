package dev.headway.toolbox.text;

import static dev.headway.toolbox.text.Absence.ABSENT;

import java.util.Locale;

/** Figures as people read them: three digits that matter, and a unit. Stateless. */
public final class Human {

  /** Placeholder of a figure that is not known. */
  public static final String UNKNOWN = "–";

  private static final double NS_PER_US = 1e3;
  private static final double NS_PER_MS = 1e6;
  private static final double NS_PER_S = 1e9;
  private static final long S_PER_MIN = 60;
  private static final long S_PER_H = 3_600;

  private Human() {}

  /** A duration in ns, NaN if it is not known, for example {@code 1.23 s} or {@code 2 h 51 min}. */
  public static String duration(double ns) {
    if (Double.isNaN(ns)) {
      return UNKNOWN;
    }
    final double size = Math.abs(ns);
    final String sign = ns < 0 ? "−" : "";
    if (size < NS_PER_US) {
      return sign + (size == Math.rint(size) ? count((long) size) : digits(size)) + " ns";
    }
    if (size < NS_PER_MS * 0.9995) {
      return sign + digits(size / NS_PER_US) + " µs";
    }
    if (size < NS_PER_S * 0.9995) {
      return sign + digits(size / NS_PER_MS) + " ms";
    }
    if (size < 59.95 * NS_PER_S) {
      return sign + digits(size / NS_PER_S) + " s";
    }
    final long seconds = Math.round(size / NS_PER_S);
    if (seconds < S_PER_H) {
      return sign
          + seconds / S_PER_MIN
          + " min"
          + (seconds % S_PER_MIN == 0 ? "" : " " + seconds % S_PER_MIN + " s");
    }
    final long minutes = Math.round(size / NS_PER_S / S_PER_MIN);
    return sign
        + count(minutes / 60)
        + " h"
        + (minutes % 60 == 0 ? "" : String.format(Locale.ROOT, " %02d min", minutes % 60));
  }

  /** A round duration as label of an axis, without decimals it does not need. */
  public static String mark(double ns) {
    return ns == 0
        ? "0"
        : duration(ns).replaceFirst("(\\.\\d*?)0+( |$)", "$1$2").replace(". ", " ");
  }

  /** A duration; one that is absent is not known. */
  public static String duration(long ns) {
    return ns == ABSENT ? UNKNOWN : duration((double) ns);
  }

  /** A duration in ASCII, for terminals that show nothing else: {@code 2.13 us}. */
  public static String plainDuration(long ns) {
    return duration(ns).replace('µ', 'u').replace('−', '-').replace('–', '-');
  }

  /** A whole number with thousands apart. */
  public static String count(long value) {
    return value == ABSENT ? UNKNOWN : String.format(Locale.ROOT, "%,d", value);
  }

  /** A share of 1 in percent. */
  public static String percent(double share) {
    if (Double.isNaN(share)) {
      return UNKNOWN;
    }
    final double percent = 100 * share;
    if (percent > 0 && percent < 0.05) {
      return "< 0.1 %";
    }
    if (percent > 99.95 && percent < 100) {
      return "> 99.9 %";
    }
    return String.format(Locale.ROOT, "%.1f %%", percent);
  }

  /** A number with three digits that matter. */
  public static String number(double value) {
    if (Double.isNaN(value)) {
      return UNKNOWN;
    }
    final double size = Math.abs(value);
    return size >= 1_000
        ? String.format(Locale.ROOT, "%,.0f", value)
        : size == Math.rint(size)
            ? Long.toString((long) value)
            : (value < 0 ? "−" : "") + digits(size);
  }

  /** A large number with k, M or G. */
  public static String compact(double value) {
    final double size = Math.abs(value);
    if (size >= 999_500_000) {
      return digits(value / 1e9) + " G";
    }
    if (size >= 999_500) {
      return digits(value / 1e6) + " M";
    }
    return size >= 9_999.5 ? digits(value / 1e3) + " k" : number(value);
  }

  /** A large whole number with k, M or G. */
  public static String compact(long value) {
    return compact((double) value);
  }

  /** Bytes in binary units. */
  public static String bytes(double value) {
    final String[] units = {"B", "KiB", "MiB", "GiB", "TiB"};
    double left = value;
    int unit = 0;
    while (left >= 1_024 && unit < units.length - 1) {
      left /= 1_024;
      unit++;
    }
    return number(left) + " " + units[unit];
  }

  private static String digits(double value) {
    final double size = Math.abs(value);
    final int decimals = size >= 99.95 ? 0 : size >= 9.995 ? 1 : size >= 0.0995 ? 2 : 3;
    return String.format(Locale.ROOT, "%." + decimals + "f", value);
  }
}
