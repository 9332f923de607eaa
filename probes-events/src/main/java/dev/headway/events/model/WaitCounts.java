package dev.headway.events.model;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Number of waiting requests per individual reason; all others share one. */
final class WaitCounts {

  private static final String UNKNOWN = "unknown";

  private final Map<String, Integer> own = new LinkedHashMap<>();
  private int owners;

  /** A request has an individual wait reason from now on, or with null does not. */
  void count(RequestTimeline request, @Nullable String reason) {
    final String before = request.countedReason;
    if (before != null) {
      own.merge(before, -1, Integer::sum);
      owners--;
    }
    if (reason != null) {
      own.merge(reason, 1, Integer::sum);
      owners++;
    }
    request.countedReason = reason;
  }

  /** The counts over {@code waiting} requests, in the order in which reasons first occurred. */
  Map<String, Integer> of(int waiting, @Nullable String sharedReason) {
    final Map<String, Integer> counts = new LinkedHashMap<>();
    own.forEach(
        (reason, count) -> {
          if (count > 0) {
            counts.put(reason, count);
          }
        });
    if (waiting > owners) {
      counts.merge(sharedReason == null ? UNKNOWN : sharedReason, waiting - owners, Integer::sum);
    }
    return counts;
  }
}
