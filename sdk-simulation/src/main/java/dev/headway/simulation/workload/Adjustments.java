package dev.headway.simulation.workload;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What a workload left out or changed up to the last request handed out, so that nothing of it is
 * silent. Immutable.
 *
 * @param rows rows that were passed, those left out included; 0 where a load is not read from rows
 * @param leftOut rows that are no request, by reason; reasons without rows are not in it
 * @param firstLeftOut where the first of them is and what it lacks, or null if there is none
 * @param notes how many requests are not as they were recorded, by what in words
 * @param cappedInputRows requests whose prompt was cut
 * @param cappedOutputRows requests whose output was cut
 */
public record Adjustments(
    long rows,
    Map<LeftOut, Long> leftOut,
    @Nullable String firstLeftOut,
    Map<String, Long> notes,
    long cappedInputRows,
    long cappedOutputRows) {
  /** Nothing was changed. */
  public static final Adjustments NONE = new Adjustments(0, Map.of(), null, Map.of(), 0, 0);

  /** Copies the counts. */
  public Adjustments {
    leftOut = leftOut.isEmpty() ? Map.of() : Collections.unmodifiableMap(new EnumMap<>(leftOut));
    notes = notes.isEmpty() ? Map.of() : Collections.unmodifiableMap(new LinkedHashMap<>(notes));
  }

  /** The same with one more note. */
  Adjustments withNote(String what, long count) {
    final Map<String, Long> all = new LinkedHashMap<>(notes);
    all.put(what, count);
    return new Adjustments(rows, leftOut, firstLeftOut, all, cappedInputRows, cappedOutputRows);
  }

  /** How many rows were left out. */
  public long leftOutRows() {
    return leftOut.values().stream().mapToLong(Long::longValue).sum();
  }

  /** Adds up the changes; a request changed in two ways counts twice. */
  public long total() {
    return leftOutRows() + cappedInputRows + cappedOutputRows;
  }

  /**
   * What was left out or is not as recorded, in one line such as {@code 4 of 120 rows left out: 3
   * without response tokens, 1 without request tokens}; empty if there is nothing to say.
   */
  public String text() {
    final List<String> parts = new ArrayList<>();
    if (!leftOut.isEmpty()) {
      parts.add(
          String.format(Locale.ROOT, "%,d of %,d rows left out: ", leftOutRows(), rows)
              + leftOut.entrySet().stream()
                  .map(each -> counted(each.getValue(), each.getKey().label()))
                  .collect(Collectors.joining(", ")));
    }
    notes.forEach((what, count) -> parts.add(counted(count, what)));
    return String.join("; ", parts);
  }

  private static String counted(long count, String what) {
    return String.format(Locale.ROOT, "%,d ", count) + what;
  }
}
