package dev.headway.simulation.workload.generated;

import java.util.Collection;
import java.util.Comparator;

/** Finds what a misspelt name was meant to be. */
final class Nearest {
  private Nearest() {}

  /** The end of a message: {@code "; the nearest: x"}, or nothing if no name is near. */
  static String hint(String word, Collection<String> names) {
    return names.stream()
        .filter(name -> distance(word, name) <= Math.max(2, word.length() / 3))
        .min(Comparator.comparingInt(name -> distance(word, name)))
        .map(name -> "; the nearest: " + name)
        .orElse("");
  }

  /** Levenshtein's: characters to insert, delete or replace. */
  static int distance(String one, String other) {
    int[] above = new int[other.length() + 1];
    for (int j = 0; j <= other.length(); j++) {
      above[j] = j;
    }
    for (int i = 1; i <= one.length(); i++) {
      final int[] row = new int[other.length() + 1];
      row[0] = i;
      for (int j = 1; j <= other.length(); j++) {
        final int replaced = above[j - 1] + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
        row[j] = Math.min(replaced, Math.min(above[j], row[j - 1]) + 1);
      }
      above = row;
    }
    return above[other.length()];
  }
}
