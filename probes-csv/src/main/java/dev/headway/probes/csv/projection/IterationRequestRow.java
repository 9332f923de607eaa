package dev.headway.probes.csv.projection;

import static dev.headway.api.Absent.ABSENT;

import org.jspecify.annotations.Nullable;

/** A row of {@code per_iteration_requests.csv}; a reused view. */
final class IterationRequestRow {

  private final int run;
  private final boolean figuresKnown;
  private final RequestTimeline request;
  private final long stepId;
  private final long atNs;
  private final int position;
  private final @Nullable Reason reason;
  private final @Nullable RequestIdentity blocker;

  /**
   * Makes a row.
   *
   * @param atNs instant up to which the time in the state counts
   * @param position in the queue, or -1 outside
   */
  IterationRequestRow(
      Run run,
      RequestTimeline request,
      long stepId,
      long atNs,
      int position,
      @Nullable Reason reason,
      @Nullable RequestIdentity blocker) {
    this.run = run.index();
    this.figuresKnown = run.figuresKnown();
    this.request = request;
    this.stepId = stepId;
    this.atNs = atNs;
    this.position = position;
    this.reason = reason;
    this.blocker = blocker;
  }

  int run() {
    return run;
  }

  long iteration() {
    return StepFrame.iteration(stepId);
  }

  RequestIdentity identity() {
    return request.identity();
  }

  String state() {
    return request.state().label();
  }

  long position() {
    return position < 0 ? ABSENT : position;
  }

  @Nullable String reasonCell() {
    return reason == null ? null : reason.cell();
  }

  @Nullable String blockerCell() {
    return blocker == null ? null : blocker.idCell();
  }

  long outputTokens() {
    return figuresKnown ? request.progress().outputTokens() : ABSENT;
  }

  long blocks() {
    return figuresKnown ? request.progress().blocks() : ABSENT;
  }

  long timeInStateNs() {
    return atNs - request.stateSinceNs();
  }

  long scheduledTokens() {
    return isScheduled() ? request.progress().latestTokens() : ABSENT;
  }

  long computedTokens() {
    return isScheduled() ? request.progress().latestComputed() : ABSENT;
  }

  private boolean isScheduled() {
    return request.state() == RequestState.RUNNING && request.progress().isScheduledIn(stepId);
  }
}
