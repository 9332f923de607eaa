package dev.headway.report.explain;

import static dev.headway.api.Absent.ABSENT;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The reason that waiting requests without one of their own have in common, and why the head of the
 * queue was refused if it is what they wait for. Follows a run from its beginning; remembers one
 * head, and the refusals of the step being scheduled.
 */
final class SharedReason {

  private final Map<Long, Obstacle.Refusal> refusals = new HashMap<>();
  private @Nullable String label;
  private long blocker = ABSENT;
  private Obstacle.@Nullable Refusal headRefusal;
  private @Nullable String nextLabel;
  private long nextBlocker = ABSENT;

  /** A request was refused in the step being scheduled. */
  void blocked(long number, String reason, int needed, int free) {
    refusals.put(number, new Obstacle.Refusal(reason, needed, free));
  }

  /** The reason changes, once the step's plan is complete. */
  void closed(String reason, long blockerNumber) {
    nextLabel = reason;
    nextBlocker = blockerNumber;
  }

  /** The plan is complete. */
  void planned() {
    if (nextLabel != null) {
      label = nextLabel;
      if (blocker != nextBlocker) {
        blocker = nextBlocker;
        headRefusal = null;
      }
      nextLabel = null;
    }
    final Obstacle.Refusal latest = refusals.get(blocker);
    headRefusal = latest == null ? headRefusal : latest;
    refusals.clear();
  }

  /** The word, or null before the first. */
  @Nullable String label() {
    return label;
  }

  Obstacle obstacle(long nowNs) {
    return new Obstacle(nowNs, blocker, 0, 0, headRefusal);
  }
}
