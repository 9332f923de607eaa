package dev.headway.report.explain;

import dev.headway.events.model.RequestTimeline;
import dev.headway.events.model.RunTimeline;
import dev.headway.events.record.BlockedRecord;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What blocked a request, from an instant to the next blocker or the end of the interval.
 *
 * @param sinceNs when it began
 * @param request the request that blocked it, or null
 * @param needed KV blocks or tokens needed, 0 if the reason has no figures
 * @param free how many there were
 * @param headRefusal why the request ahead was itself refused, if that is known
 */
record Blocker(
    long sinceNs,
    @Nullable RequestName request,
    int needed,
    int free,
    @Nullable Refusal headRefusal) {

  /** Why the head of the queue was refused. */
  record Refusal(String reason, int needed, int free) {

    boolean hasFigures() {
      return needed > 0 || free > 0;
    }
  }

  /** What blocks all waiting requests that were not examined. */
  static Blocker shared(long sinceNs, RunTimeline run) {
    final RequestTimeline head = run.sharedBlocker();
    final RequestName name = RequestName.of(run.sharedBlockerNumber(), head);
    final BlockedRecord refused = head == null ? null : head.refusal();
    final Refusal refusal =
        refused == null ? null : new Refusal(refused.reason(), refused.needed(), refused.free());
    return new Blocker(sinceNs, name, 0, 0, refusal);
  }

  boolean hasFigures() {
    return needed > 0 || free > 0;
  }

  /** Whether {@code later} says nothing new; a refusal stays known after it was lifted. */
  boolean covers(Blocker later) {
    return Objects.equals(request, later.request)
        && needed == later.needed
        && free == later.free
        && (later.headRefusal == null || later.headRefusal.equals(headRefusal));
  }
}
