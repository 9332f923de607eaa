package dev.headway.api;

/**
 * Sentinel for a figure that was not measured or does not apply: one value everywhere, never 0 or
 * -1, which are valid figures. Files leave the cell empty.
 */
public final class Absent {

  /** The value of an absent figure. */
  public static final long ABSENT = Long.MIN_VALUE;

  private Absent() {}

  /** Whether a figure is absent. */
  public static boolean isAbsent(long figure) {
    return figure == ABSENT;
  }
}
