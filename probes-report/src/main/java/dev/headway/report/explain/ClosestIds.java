package dev.headway.report.explain;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The ids most like one that does not exist; remembers a few only. */
final class ClosestIds {

  private static final int KEPT = 5;
  private static final int LONGEST = 128;

  private record Near(String id, int distance) {}

  private static final Comparator<Near> ORDER =
      Comparator.comparingInt(Near::distance).thenComparing(Near::id);

  private final String wanted;
  private final List<Near> nearest = new ArrayList<>();
  private int[] row = new int[0];

  ClosestIds(String wanted) {
    this.wanted = wanted;
  }

  void offer(String id) {
    final int atLeast = Math.abs(id.length() - wanted.length());
    if (id.length() > LONGEST || wanted.length() > LONGEST) {
      return;
    }
    if (nearest.size() == KEPT && atLeast > nearest.get(KEPT - 1).distance) {
      return;
    }
    final Near near = new Near(id, distance(id));
    if (nearest.contains(near)) {
      return;
    }
    nearest.add(near);
    nearest.sort(ORDER);
    if (nearest.size() > KEPT) {
      nearest.remove(KEPT);
    }
  }

  List<String> ids() {
    return nearest.stream().map(Near::id).toList();
  }

  /** Insertions, deletions and replacements from one to the other. */
  private int distance(String id) {
    if (row.length < id.length() + 1) {
      row = new int[id.length() + 1];
    }
    for (int j = 0; j <= id.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= wanted.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= id.length(); j++) {
        final int replaced = diagonal + (wanted.charAt(i - 1) == id.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(replaced, Math.min(row[j], row[j - 1]) + 1);
      }
    }
    return row[id.length()];
  }
}
