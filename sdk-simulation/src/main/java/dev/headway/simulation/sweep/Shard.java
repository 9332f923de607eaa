package dev.headway.simulation.sweep;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * A part of a sweep: of {@code count} parts, the one that has every {@code count}-th cell from
 * {@code number} on.
 *
 * @param number in [1, count]
 * @param count how many parts there are
 */
public record Shard(int number, int count) {

  /** All of a sweep. */
  public static final Shard WHOLE = new Shard(1, 1);

  private static final Pattern TEXT = Pattern.compile("(\\d{1,7})/(\\d{1,7})");

  /**
   * Checks the numbers.
   *
   * @throws IllegalArgumentException unless number is in [1, count]
   */
  public Shard {
    if (number < 1 || number > count) {
      throw new IllegalArgumentException(
          "a shard must be I/N with 1 <= I <= N: shard=" + number + "/" + count);
    }
  }

  /**
   * Reads {@code I/N}.
   *
   * @throws IllegalArgumentException if it is none
   */
  public static Shard parse(String text) {
    final Matcher matcher = TEXT.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException("a shard must be I/N with 1 <= I <= N: shard=" + text);
    }
    return new Shard(Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2)));
  }

  /** The numbers of its cells, ascending. */
  public int[] cells(SweepPlan plan) {
    return IntStream.rangeClosed(1, plan.cells())
        .filter(cell -> (cell - number) % count == 0)
        .toArray();
  }

  /** Its form on the command line. */
  public String text() {
    return number + "/" + count;
  }
}
