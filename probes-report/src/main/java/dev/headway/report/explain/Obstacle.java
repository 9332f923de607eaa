package dev.headway.report.explain;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What stood in the way of a request, from an instant to the next obstacle or the end of the
 * stretch.
 *
 * @param sinceNs when it began
 * @param blocker number of the request in the way, or absent
 * @param needed KV blocks or tokens needed, 0 if the reason has no figures
 * @param free how many there were
 * @param headRefusal why the blocker itself was refused, if that is known
 */
record Obstacle(long sinceNs, long blocker, int needed, int free, @Nullable Refusal headRefusal) {

  /** Why the head of the queue was refused. */
  record Refusal(String reason, int needed, int free) {}

  boolean hasFigures() {
    return needed > 0 || free > 0;
  }

  /** Whether it is the same but for its instant. */
  boolean isLike(Obstacle other) {
    return blocker == other.blocker
        && needed == other.needed
        && free == other.free
        && Objects.equals(headRefusal, other.headRefusal);
  }
}
