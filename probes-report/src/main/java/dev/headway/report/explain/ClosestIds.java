package dev.headway.report.explain;

import dev.headway.api.internal.EditDistance;
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
  private final EditDistance distance;
  private final List<Near> nearest = new ArrayList<>();

  ClosestIds(String wanted) {
    this.wanted = wanted;
    this.distance = new EditDistance(wanted);
  }

  void offer(String id) {
    final int atLeast = Math.abs(id.length() - wanted.length());
    if (id.length() > LONGEST || wanted.length() > LONGEST) {
      return;
    }
    if (nearest.size() == KEPT && atLeast > nearest.get(KEPT - 1).distance) {
      return;
    }
    final Near near = new Near(id, distance.to(id));
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
}
