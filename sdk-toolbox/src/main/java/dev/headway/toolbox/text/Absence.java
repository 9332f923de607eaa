package dev.headway.toolbox.text;

/**
 * A whole number that stands for a figure that is not there, as in the API, which is not seen from
 * here.
 */
public final class Absence {

  /** Its value. */
  public static final long ABSENT = Long.MIN_VALUE;

  private Absence() {}
}
