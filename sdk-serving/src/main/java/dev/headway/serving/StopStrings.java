package dev.headway.serving;

import java.util.List;

/**
 * Cuts an answer at the first of its stop strings, wherever tokens begin and end: text that may be
 * the beginning of one is held back until it is clear. One thread.
 */
final class StopStrings {

  private final List<String> stops;
  private final StringBuilder held = new StringBuilder();
  private boolean found;

  StopStrings(List<String> stops) {
    this.stops = stops;
  }

  /** Takes a piece of the answer; returns what is certain to belong to it. */
  String push(String piece) {
    if (found) {
      return "";
    }
    held.append(piece);
    final int at = firstStop();
    if (at >= 0) {
      found = true;
      held.setLength(at);
      return rest();
    }
    return release(held.length() - longestBeginning());
  }

  /** Returns what was held back when no more text follows. */
  String finish() {
    return found ? "" : rest();
  }

  /** Whether a stop string was found: the answer has ended. */
  boolean isFound() {
    return found;
  }

  private String rest() {
    return release(held.length());
  }

  private String release(int length) {
    final String text = held.substring(0, length);
    held.delete(0, length);
    return text;
  }

  private int firstStop() {
    int first = -1;
    for (String stop : stops) {
      final int at = held.indexOf(stop);
      if (at >= 0 && (first < 0 || at < first)) {
        first = at;
      }
    }
    return first;
  }

  /** Length of the longest end of the text that is the beginning of a stop string. */
  private int longestBeginning() {
    int longest = 0;
    for (String stop : stops) {
      for (int length = Math.min(stop.length() - 1, held.length()); length > longest; length--) {
        if (stop.startsWith(held.substring(held.length() - length))) {
          longest = length;
        }
      }
    }
    return longest;
  }
}
