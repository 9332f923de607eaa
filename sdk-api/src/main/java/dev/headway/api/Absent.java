package dev.headway.api;

/**
 * Stands for a figure that was not measured or does not apply: one value everywhere, never 0 or -1,
 * which figures can have. Files leave the cell empty.
 */
public final class Absent {

  /** A figure that is not there. */
  public static final long ABSENT = Long.MIN_VALUE;

  private Absent() {}

  /** Whether a figure is not there. */
  public static boolean isAbsent(long figure) {
    return figure == ABSENT;
  }
}
