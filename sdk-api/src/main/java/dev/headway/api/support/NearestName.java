package dev.headway.api.support;

import java.util.Collection;
import java.util.Comparator;

/** Finds what a misspelt name was meant to be, for a message. Any thread. */
public final class NearestName {

  private static final int LEAST_DISTANCE = 2;

  private NearestName() {}

  /**
   * Returns the end of a message about a name that does not exist.
   *
   * @param wanted what was written
   * @param names those that there are
   * @return {@code "; the nearest: x"}, or nothing if no name is within a third of the letters of
   *     the one that was written, or two
   */
  public static String hint(String wanted, Collection<String> names) {
    final EditDistance distance = new EditDistance(wanted);
    return names.stream()
        .filter(name -> distance.to(name) <= Math.max(LEAST_DISTANCE, wanted.length() / 3))
        .min(Comparator.comparingInt(distance::to))
        .map(name -> "; the nearest: " + name)
        .orElse("");
  }
}
