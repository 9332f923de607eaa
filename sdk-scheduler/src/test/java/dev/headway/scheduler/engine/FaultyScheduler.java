package dev.headway.scheduler.engine;

import dev.headway.api.request.FinishReason;
import dev.headway.api.request.Request;
import dev.headway.api.request.RequestView;
import dev.headway.api.schedule.OutputListener;
import dev.headway.api.schedule.PauseState;
import dev.headway.api.schedule.PrefillGate;
import dev.headway.api.schedule.ResetScope;
import dev.headway.api.schedule.Scheduler;
import dev.headway.api.schedule.SchedulerStats;
import dev.headway.api.schedule.StepAcknowledgement;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import java.util.ArrayList;
import java.util.List;

/**
 * A scheduler that throws where it is told to, before or after the call has done its work, and
 * writes down which steps were given up.
 */
final class FaultyScheduler implements Scheduler {

  /** Where. */
  enum Point {
    NOWHERE,
    ADD,
    FINISH,
    BEFORE_SCHEDULE,
    AFTER_SCHEDULE,
    AFTER_PLANNED,
    BEFORE_UPDATE,
    RESET
  }

  private final Scheduler scheduler;

  /** What the engine said of each step it gave up. */
  final List<StepAcknowledgement> abandoned = new ArrayList<>();

  /** The steps it said were done after all. */
  final List<Long> acknowledged = new ArrayList<>();

  private Point point = Point.NOWHERE;
  private Error error = new Error("unset");
  private int times;

  FaultyScheduler(Scheduler scheduler) {
    this.scheduler = scheduler;
  }

  /** Throws {@code what} at a point, so often. */
  void throwAt(Point where, Error what, int howOften) {
    point = where;
    error = what;
    times = howOften;
  }

  private void at(Point here) {
    if (here == point && times > 0) {
      times--;
      throw error;
    }
  }

  @Override
  public RequestView add(Request request, OutputListener listener, long arrivalNs, long nowNs) {
    at(Point.ADD);
    return scheduler.add(request, listener, arrivalNs, nowNs);
  }

  @Override
  public boolean finish(RequestView request, FinishReason reason, Throwable cause, long nowNs) {
    at(Point.FINISH);
    return scheduler.finish(request, reason, cause, nowNs);
  }

  @Override
  public StepPlan schedule(long nowNs, PrefillGate prefills) {
    at(Point.BEFORE_SCHEDULE);
    final StepPlan plan = scheduler.schedule(nowNs, prefills);
    at(Point.AFTER_SCHEDULE);
    return plan;
  }

  @Override
  public void planned(StepPlan plan, long nowNs) {
    scheduler.planned(plan, nowNs);
    at(Point.AFTER_PLANNED);
  }

  @Override
  public void update(StepPlan plan, StepOutput output, long nowNs) {
    at(Point.BEFORE_UPDATE);
    scheduler.update(plan, output, nowNs);
  }

  @Override
  public void abandon(
      StepPlan plan, Throwable cause, StepAcknowledgement acknowledgement, long nowNs) {
    abandoned.add(acknowledgement);
    scheduler.abandon(plan, cause, acknowledgement, nowNs);
  }

  @Override
  public void acknowledge(long stepId) {
    acknowledged.add(stepId);
    scheduler.acknowledge(stepId);
  }

  @Override
  public boolean resetPrefixCache(ResetScope scope, long nowNs) {
    at(Point.RESET);
    return scheduler.resetPrefixCache(scope, nowNs);
  }

  @Override
  public int runningCount() {
    return scheduler.runningCount();
  }

  @Override
  public void proposeDrafts(RequestView request, int[] tokenIds, int count) {
    scheduler.proposeDrafts(request, tokenIds, count);
  }

  @Override
  public void setPauseState(PauseState pauseState) {
    scheduler.setPauseState(pauseState);
  }

  @Override
  public PauseState pauseState() {
    return scheduler.pauseState();
  }

  @Override
  public int unfinishedCount() {
    return scheduler.unfinishedCount();
  }

  @Override
  public int waitingCount() {
    return scheduler.waitingCount();
  }

  @Override
  public boolean hasWork() {
    return scheduler.hasWork();
  }

  @Override
  public SchedulerStats stats() {
    return scheduler.stats();
  }
}
