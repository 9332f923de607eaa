package dev.headway.probes.csv.observe;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How many requests wait for which reason. Those without a reason of their own share the one of the
 * latest decision to admit no more.
 */
final class WaitCounts {

  static final String UNKNOWN = "unknown";

  private final Map<String, Integer> own = new LinkedHashMap<>();
  private int owners;
  private @Nullable String shared;
  private @Nullable String sharedBlocker;

  void add(LiveRequest request) {
    change(request, 1);
  }

  void remove(LiveRequest request) {
    change(request, -1);
  }

  void share(String reason, @Nullable String blocker) {
    shared = reason;
    sharedBlocker = blocker;
  }

  @Nullable String shared() {
    return shared;
  }

  @Nullable String sharedBlocker() {
    return sharedBlocker;
  }

  /** The counts over {@code waiting} requests, in the order in which reasons came up. */
  Map<String, Integer> of(int waiting) {
    final Map<String, Integer> counts = new LinkedHashMap<>();
    own.forEach(
        (reason, count) -> {
          if (count > 0) {
            counts.put(reason, count);
          }
        });
    if (waiting > owners) {
      counts.merge(shared == null ? UNKNOWN : shared, waiting - owners, Integer::sum);
    }
    return counts;
  }

  private void change(LiveRequest request, int by) {
    final String reason = request.ownReason();
    if (!request.isRunning() && reason != null) {
      own.merge(reason, by, Integer::sum);
      owners += by;
    }
  }
}
