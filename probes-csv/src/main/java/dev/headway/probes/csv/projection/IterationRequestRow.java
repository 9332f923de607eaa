package dev.headway.probes.csv.projection;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.model.RequestTimeline;
import dev.headway.events.model.RunTimeline;
import org.jspecify.annotations.Nullable;

/**
 * A row of {@code per_iteration_requests.csv}.
 *
 * @param atNs instant up to which the time in the state counts
 * @param position in the queue, or -1 outside
 * @param root what must change before it can run
 * @param sharesReason whether the reason is that of all waiting requests without an individual one
 */
record IterationRequestRow(
    RunTimeline runTimeline,
    RequestCells request,
    long stepId,
    long atNs,
    int position,
    @Nullable Reason reason,
    @Nullable Reason root,
    boolean sharesReason,
    @Nullable String blockerCell) {

  int run() {
    return runTimeline.index();
  }

  long iteration() {
    return IterationRow.iteration(stepId);
  }

  RequestIdentity identity() {
    return request.identity();
  }

  String state() {
    return request.state().label();
  }

  boolean isWaiting() {
    return position >= 0;
  }

  long queuePosition() {
    return isWaiting() ? position : ABSENT;
  }

  @Nullable String reasonCell() {
    return reason == null ? null : reason.cell();
  }

  @Nullable String rootCell() {
    return root == null ? null : root.cell();
  }

  long evictedBlocks() {
    return request.state() == RequestPhase.PREEMPTED ? timeline().evictedBlocks() : ABSENT;
  }

  long outputTokens() {
    return timeline().areOutputsKnown() ? timeline().outputTokens() : ABSENT;
  }

  long blocks() {
    return timeline().areEntriesKnown() ? timeline().heldBlocks() : ABSENT;
  }

  long timeInStateNs() {
    return atNs - timeline().stateSinceNs();
  }

  long scheduledTokens() {
    return isScheduled() ? timeline().latestScheduledTokens() : ABSENT;
  }

  long computedTokens() {
    return isScheduled() ? timeline().latestComputedTokens() : ABSENT;
  }

  private boolean isScheduled() {
    return request.state() == RequestPhase.RUNNING && timeline().isScheduledIn(stepId);
  }

  private RequestTimeline timeline() {
    return request.timeline();
  }
}
