package dev.headway.simulation.workload;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** What a format could not hold, with how often. */
final class Losses {
  private final Map<String, Long> counts = new LinkedHashMap<>();

  void add(String what, long count) {
    if (count > 0) {
      counts.merge(what, count, Long::sum);
    }
  }

  Map<String, Long> counts() {
    return Collections.unmodifiableMap(counts);
  }
}
