package dev.headway.probes.csv.table;

import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Writes instants as ISO 8601 in UTC; formats the date and time once per second. One thread. */
final class IsoTime {

  private static final DateTimeFormatter SECOND =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss", Locale.ROOT);
  private static final long NS_PER_SECOND = 1_000_000_000L;

  private long secondSince1970 = Long.MIN_VALUE;
  private String second = "";

  /** Appends the instant with nine digits of the second: {@code 2026-11-23T16:04:31.000000042Z}. */
  void append(StringBuilder to, long unixNs) {
    final long at = Math.floorDiv(unixNs, NS_PER_SECOND);
    if (at != secondSince1970) {
      second = SECOND.format(LocalDateTime.ofEpochSecond(at, 0, ZoneOffset.UTC));
      secondSince1970 = at;
    }
    to.append(second).append('.');
    long digit = NS_PER_SECOND / 10;
    for (long rest = unixNs - at * NS_PER_SECOND; digit > 0; digit /= 10) {
      to.append((char) ('0' + rest / digit));
      rest %= digit;
    }
    to.append('Z');
  }
}
