package dev.headway.probes.dashboard.state;

import dev.headway.events.model.Cause;
import dev.headway.events.model.RunTimeline;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** How many requests wait for what. Stateless. */
final class WaitingFor {

  private WaitingFor() {}

  /** Requests in the queue by what must change for them, the most first. O(causes). */
  static Map<String, Integer> byRoot(RunTimeline run, List<Cause> causes) {
    final Map<String, Integer> byRoot = new LinkedHashMap<>();
    for (Cause cause : causes) {
      final int requests = run.waitingFor(cause);
      if (requests > 0) {
        byRoot.merge(cause.root(), requests, Integer::sum);
      }
    }
    final Map<String, Integer> mostFirst = new LinkedHashMap<>();
    byRoot.entrySet().stream()
        .sorted(Map.Entry.<String, Integer>comparingByValue(Comparator.reverseOrder()))
        .forEach(entry -> mostFirst.put(entry.getKey(), entry.getValue()));
    return mostFirst;
  }
}
