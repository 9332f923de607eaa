package dev.headway.scheduler.engine;

import dev.headway.api.request.FinishReason;
import dev.headway.api.request.Hold;
import dev.headway.api.request.Request;
import dev.headway.api.request.RequestView;
import dev.headway.api.schedule.BlockFence;
import dev.headway.api.schedule.OutputListener;
import dev.headway.api.schedule.PauseState;
import dev.headway.api.schedule.ResetScope;
import dev.headway.api.schedule.Scheduler;
import dev.headway.api.schedule.SchedulerStats;
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
    BEFORE_COMPLETE,
    RESET
  }

  private final Scheduler scheduler;

  /** What the engine said of each step it gave up. */
  final List<BlockFence> failed = new ArrayList<>();

  /** The steps it said were done after all. */
  final List<Long> released = new ArrayList<>();

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
  public RequestView add(Request request, OutputListener listener, long arrivalNs) {
    at(Point.ADD);
    return scheduler.add(request, listener, arrivalNs);
  }

  @Override
  public boolean finish(RequestView request, FinishReason reason, Throwable cause) {
    at(Point.FINISH);
    return scheduler.finish(request, reason, cause);
  }

  @Override
  public void release(RequestView request, Hold hold) {
    scheduler.release(request, hold);
  }

  @Override
  public StepPlan schedule() {
    at(Point.BEFORE_SCHEDULE);
    final StepPlan plan = scheduler.schedule();
    at(Point.AFTER_SCHEDULE);
    return plan;
  }

  @Override
  public void complete(StepPlan plan, StepOutput output) {
    at(Point.BEFORE_COMPLETE);
    scheduler.complete(plan, output);
  }

  @Override
  public void fail(StepPlan plan, Throwable cause, BlockFence fence) {
    failed.add(fence);
    scheduler.fail(plan, cause, fence);
  }

  @Override
  public void releaseFence(long stepId) {
    released.add(stepId);
    scheduler.releaseFence(stepId);
  }

  @Override
  public boolean resetPrefixCache(ResetScope scope) {
    at(Point.RESET);
    return scheduler.resetPrefixCache(scope);
  }

  @Override
  public int runningCount() {
    return scheduler.runningCount();
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
