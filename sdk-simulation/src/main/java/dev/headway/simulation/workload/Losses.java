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

  /** Counts what a request has beside lengths and no format holds. */
  void addExtras(WorkloadRequest request) {
    for (RequestExtra extra : RequestExtra.values()) {
      add(extra.plural(), extra.isOf(request) ? 1 : 0);
    }
  }

  Map<String, Long> counts() {
    return Collections.unmodifiableMap(counts);
  }
}
