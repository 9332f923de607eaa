package dev.headway.simulation.workload;

import dev.headway.api.internal.SafeText;
import dev.headway.toolbox.csv.WholeNumber;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.chrono.IsoChronology;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.ResolverStyle;
import java.time.temporal.ChronoField;
import java.time.temporal.TemporalAccessor;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Turns the text of a cell into a number, or says where the cell is and what it must hold. */
final class CellParser {
  private static final int MAX_NUMBER_LENGTH = 64;
  private static final int MAX_SHOWN_LENGTH = 64;
  private static final long NANOS_PER_SECOND = 1_000_000_000L;
  private static final DateTimeFormatter DATE_TIME =
      new DateTimeFormatterBuilder()
          .append(DateTimeFormatter.ISO_LOCAL_DATE)
          .appendLiteral(' ')
          .append(DateTimeFormatter.ISO_LOCAL_TIME)
          .optionalStart()
          .appendOffset("+HH:MM", "Z")
          .optionalEnd()
          .parseDefaulting(ChronoField.OFFSET_SECONDS, 0)
          .toFormatter(Locale.ROOT)
          .withResolverStyle(ResolverStyle.STRICT)
          .withChronology(IsoChronology.INSTANCE);

  private final String file;

  CellParser(String file) {
    this.file = file;
  }

  TraceFormatException unreadable(long line, String column, @Nullable String value, String rule) {
    return new TraceFormatException(
        "trace row is not readable: file=%s, line=%d, column=%s, value=%s; %s"
            .formatted(file, line, column, value == null ? "missing" : quoted(value), rule));
  }

  /** An integer in [min, max], however it is written. */
  long integer(long line, String column, @Nullable String text, long min, long max) {
    final Long value = WholeNumber.clamped(text);
    if (value == null || value < min) {
      throw unreadable(line, column, text, "must be an integer >= " + min);
    }
    if (value > max) {
      throw unreadable(line, column, text, "must be <= " + max);
    }
    return value;
  }

  int tokens(long line, String column, @Nullable String text, int min) {
    return (int) integer(line, column, text, min, WorkloadRequest.MAX_TOKENS);
  }

  /** An arrival in nanoseconds; for dates, after 1970-01-01T00:00Z. */
  long arrivalNs(long line, String column, @Nullable String text, TraceFormat.ArrivalUnit unit) {
    return switch (unit) {
      case DATE_TIME -> dateTimeNs(line, column, text);
      case SECONDS -> decimalNs(line, column, text, 9, "seconds");
      case MILLIS -> decimalNs(line, column, text, 6, "milliseconds");
      case MICROS -> decimalNs(line, column, text, 3, "microseconds");
      case NONE -> 0;
      case NANOS -> integer(line, column, text, 0, Long.MAX_VALUE - 1);
    };
  }

  /** Decimal arithmetic, since a double would lose nanoseconds after 104 days. */
  long decimalNs(long line, String column, @Nullable String text, int digits, String unit) {
    final BigDecimal value = decimal(text);
    if (value == null || value.signum() < 0) {
      throw unreadable(line, column, text, "must be a number of " + unit + " >= 0");
    }
    final long magnitude = (long) value.precision() - value.scale() + digits;
    if (value.signum() == 0 || magnitude < -1) { // also keeps 1e-999999999 from being expanded
      return 0;
    }
    final BigDecimal ns =
        magnitude > 19
            ? BigDecimal.valueOf(Long.MAX_VALUE)
            : value.movePointRight(digits).setScale(0, RoundingMode.HALF_EVEN);
    if (ns.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) >= 0) {
      throw unreadable(line, column, text, "must be less than 2^63 nanoseconds");
    }
    return ns.longValueExact();
  }

  private static @Nullable BigDecimal decimal(@Nullable String text) {
    final String number = text == null ? "" : text.strip();
    if (number.isEmpty() || number.length() > MAX_NUMBER_LENGTH) {
      return null;
    }
    try {
      return new BigDecimal(number);
    } catch (NumberFormatException e) {
      return null;
    }
  }

  private long dateTimeNs(long line, String column, @Nullable String text) {
    final String rule = "must be a UTC date and time such as 2023-11-16 18:15:46.6805900";
    if (text == null || text.length() > MAX_NUMBER_LENGTH) {
      throw unreadable(line, column, text, rule);
    }
    try {
      final TemporalAccessor parsed = DATE_TIME.parse(text.strip());
      final Instant instant = Instant.from(parsed);
      final long ns =
          Math.addExact(
              Math.multiplyExact(instant.getEpochSecond(), NANOS_PER_SECOND), instant.getNano());
      if (ns >= 0) {
        return ns;
      }
    } catch (DateTimeException e) {
      throw unreadable(line, column, text, rule);
    } catch (ArithmeticException e) {
      throw unreadable(line, column, text, "must be before 2262-04-11");
    }
    throw unreadable(line, column, text, "must be in 1970 or later");
  }

  /** Shows a value in a message: cut to a sane length, without control characters. */
  static String quoted(String value) {
    final boolean cut = value.length() > MAX_SHOWN_LENGTH;
    return "'"
        + SafeText.of(cut ? value.substring(0, MAX_SHOWN_LENGTH) : value)
        + (cut ? "…'" : "'");
  }
}
