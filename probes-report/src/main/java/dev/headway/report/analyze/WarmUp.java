package dev.headway.report.analyze;

/**
 * Which steps of each run are warm-up.
 *
 * @param steps the first so many
 * @param seconds and those that begin in the first so many seconds
 */
public record WarmUp(int steps, double seconds) {

  /** The first ten steps. */
  public static final WarmUp DEFAULT = new WarmUp(10, 0);

  /** Validates the components. */
  public WarmUp {
    if (steps < 0 || !(seconds >= 0)) {
      throw new IllegalArgumentException(
          "warm-up must be >= 0 steps and >= 0 seconds: steps=" + steps + ", seconds=" + seconds);
    }
  }

  /** Reads {@code 10} as steps and {@code 1.5s} as seconds. */
  public static WarmUp parse(String text) {
    try {
      return text.endsWith("s")
          ? new WarmUp(0, Double.parseDouble(text.substring(0, text.length() - 1)))
          : new WarmUp(Integer.parseInt(text), 0);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "warm-up must be a number of steps, or of seconds with an s: " + text, e);
    }
  }

  boolean holds(StepTable table, int step) {
    return table.indexInRun.at(step) < steps || table.ageSeconds.at(step) < seconds;
  }
}
