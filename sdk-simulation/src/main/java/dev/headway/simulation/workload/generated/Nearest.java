package dev.headway.simulation.workload.generated;

import dev.headway.events.text.EditDistance;
import java.util.Collection;
import java.util.Comparator;

/** Finds what a misspelt name was meant to be. */
final class Nearest {
  private Nearest() {}

  /** The end of a message: {@code "; the nearest: x"}, or nothing if no name is near. */
  static String hint(String word, Collection<String> names) {
    final EditDistance distance = new EditDistance(word);
    return names.stream()
        .filter(name -> distance.to(name) <= Math.max(2, word.length() / 3))
        .min(Comparator.comparingInt(distance::to))
        .map(name -> "; the nearest: " + name)
        .orElse("");
  }
}
