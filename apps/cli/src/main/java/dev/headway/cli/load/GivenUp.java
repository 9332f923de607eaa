package dev.headway.cli.load;

import java.util.ArrayList;
import java.util.List;

/**
 * When requests that ended from outside are given up again. Those that ended at one instant, behind
 * one step, are given up a nanosecond apart, so that they end in the recorded order; the last at
 * the instant itself. Memory: the requests of one instant.
 */
final class GivenUp {
  private final List<RecordedRequest> together = new ArrayList<>();
  private long atNs;

  /** A request ended so, not before those that were added. */
  void add(RecordedRequest request, long endNs) {
    settleBefore(endNs);
    atNs = endNs;
    together.add(request);
  }

  /** Nothing more ends before an instant. */
  void settleBefore(long nowNs) {
    if (nowNs > atNs) {
      settle();
    }
  }

  /** Nothing more ends. */
  void settle() {
    final int count = together.size();
    for (int i = 0; i < count; i++) {
      together.get(i).giveUpAt(atNs - (count - 1 - i));
    }
    together.clear();
  }
}
