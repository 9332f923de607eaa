package dev.headway.api.internal;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Finds what a misspelt name was meant to be, for a message. Any thread. */
public final class NearestName {

  private static final int LEAST_DISTANCE = 2;
  private static final int FEWEST_LETTERS = 3; // of a beginning that says something
  private static final int MOST_LONGER_NAMES = 5;

  private NearestName() {}

  /**
   * Returns the end of a message about a name that does not exist.
   *
   * @param wanted what was written
   * @param names those that there are
   * @return {@code "; the nearest: x, y"} with up to five names that begin as it does, in their
   *     order, whatever the case of letters; else {@code "; the nearest: x"} with a name of which
   *     it is a misspelling; else nothing
   */
  public static String hint(String wanted, Collection<String> names) {
    final List<String> longer =
        wanted.length() < FEWEST_LETTERS
            ? List.of()
            : names.stream()
                .filter(name -> name.regionMatches(true, 0, wanted, 0, wanted.length()))
                .toList();
    return longer.isEmpty() || longer.size() > MOST_LONGER_NAMES
        ? misspelt(wanted, names).map(name -> "; the nearest: " + name).orElse("")
        : "; the nearest: " + String.join(", ", longer);
  }

  /**
   * Returns the name of which another one is a misspelling.
   *
   * @param wanted what was written
   * @param names those that there are
   * @return the nearest that is within a third of the letters of the one that was written, or two
   */
  public static Optional<String> misspelt(String wanted, Collection<String> names) {
    final EditDistance distance = new EditDistance(wanted);
    return names.stream()
        .filter(name -> distance.to(name) <= Math.max(LEAST_DISTANCE, wanted.length() / 3))
        .min(Comparator.comparingInt(distance::to));
  }
}
