package dev.headway.events.model;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One {@link Cause} per pair of reason and root. */
final class Causes {

  private static final String HEAD_OF_LINE = "head_of_line";
  private static final List<String> EARLY = List.of("initial_waiting", "preempted", "evicted");

  private final Map<String, Map<String, Cause>> known = new HashMap<>();
  private final List<Cause> all = new ArrayList<>();

  final Cause unknown;

  /** The first ones are predefined, so that they have the same index in every run. */
  Causes() {
    for (String early : EARLY) {
      of(early, null);
    }
    unknown = of("unknown", null);
  }

  /** As {@link #of}, with a fast path if the cause is unchanged; unknown without a reason. */
  Cause still(Cause before, @Nullable String reason, @Nullable RequestTimeline blocker) {
    if (reason == null) {
      return unknown;
    }
    final boolean isSame =
        before.reason().equals(reason) && before.root().equals(rootOf(reason, blocker));
    return isSame ? before : of(reason, blocker);
  }

  /** Returns the cause of a reason, with the blocking request, if there is one. */
  Cause of(String reason, @Nullable RequestTimeline blocker) {
    final String root = rootOf(reason, blocker);
    final Map<String, Cause> roots = known.get(reason);
    final Cause cause = roots == null ? null : roots.get(root);
    return cause == null ? add(new Cause(all.size(), reason, root)) : cause;
  }

  /**
   * What must change before a request can proceed: for {@code head_of_line} the reason of the
   * request ahead, else the reason itself.
   */
  static String rootOf(String reason, @Nullable RequestTimeline blocker) {
    final String own = blocker == null ? null : blocker.ownReason();
    return own != null && reason.equals(HEAD_OF_LINE) ? own : reason;
  }

  List<Cause> all() {
    return all;
  }

  private Cause add(Cause cause) {
    all.add(cause);
    known.computeIfAbsent(cause.reason(), reason -> new HashMap<>()).put(cause.root(), cause);
    return cause;
  }
}
