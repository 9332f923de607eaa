package dev.headway.scheduler.jfr;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.probe.Probe;
import dev.headway.api.probe.ProbeInterest;
import dev.headway.api.probe.Rejection;
import dev.headway.api.probe.StepResult;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.RequestStatus;
import dev.headway.api.request.RequestView;
import dev.headway.api.schedule.PreemptionCause;
import dev.headway.api.schedule.WaitReason;
import dev.headway.api.step.EntryKind;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import java.util.ArrayDeque;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Tells the JDK's Flight Recorder what the scheduler does: {@code dev.headway.Step}, {@code
 * RequestWait}, {@code AdmissionsClosed}, {@code Preemption}, {@code RequestFinished}, {@code
 * RequestRejected}. Recordings can be started, stopped and changed at any time.
 *
 * <p>The start and duration of an event are the recorder's own. Durations inside events are of the
 * engine's clock, which may be virtual, in nanoseconds; what was not measured is not available
 * ({@link Long#MIN_VALUE}).
 *
 * <p>While no recording wants an event, it costs the test of a flag and allocates nothing.
 */
public final class JfrProbe implements Probe {

  /** More steps are not in flight; so many begun events are kept at most. */
  private static final int STEPS_KEPT = 64;

  private final StepEvent step = new StepEvent();
  private final PreemptionEvent preemption = new PreemptionEvent();
  private final RequestFinishedEvent finished = new RequestFinishedEvent();
  private final RequestRejectedEvent rejected = new RequestRejectedEvent();
  private final WaitEvents waits = new WaitEvents();
  private final ArrayDeque<StepEvent> steps = new ArrayDeque<>();

  /** Makes a probe for one engine. */
  public JfrProbe() {}

  @Override
  public Set<ProbeInterest> interests() {
    return EnumSet.of(ProbeInterest.REQUESTS, ProbeInterest.WAITS, ProbeInterest.STEPS);
  }

  @Override
  public void onQueued(RequestView request) {
    waits.queued(request);
  }

  @Override
  public void onRejected(Rejection rejection) {
    if (rejected.isEnabled()) {
      final RequestRejectedEvent event = new RequestRejectedEvent();
      event.requestId = rejection.request().id();
      event.reason = rejection.reason().label();
      event.message = rejection.message();
      event.promptTokens = rejection.request().promptTokens();
      event.commit();
    }
  }

  @Override
  public void onAdmitted(
      long stepId, RequestView request, EntryKind kind, int cachedTokens, int lostTokens) {
    waits.ended(request);
  }

  @Override
  public void onBlocked(
      long stepId,
      RequestView request,
      WaitReason reason,
      @Nullable RequestView blocker,
      int needed,
      int free) {
    waits.blocked(stepId, request, reason, blocker, needed, free);
  }

  @Override
  public void onUnblocked(long stepId, RequestView request) {
    if (request.status() == RequestStatus.RUNNING) {
      waits.ended(request);
    } else {
      waits.unexamined(stepId, request);
    }
  }

  @Override
  public void onAdmissionsClosed(long stepId, WaitReason reason, @Nullable RequestView blocker) {
    waits.closed(stepId, reason, blocker);
  }

  @Override
  public void onPreempted(
      long stepId,
      RequestView victim,
      PreemptionCause cause,
      @Nullable RequestView beneficiary,
      int lostTokens,
      int freedBlocks) {
    if (preemption.isEnabled()) {
      final PreemptionEvent event = new PreemptionEvent();
      event.stepId = stepId;
      event.requestId = victim.id();
      event.cause = cause.label();
      event.beneficiary = beneficiary == null ? null : beneficiary.id();
      event.lostTokens = lostTokens;
      event.freedBlocks = freedBlocks;
      event.commit();
    }
  }

  @Override
  public void onPlanned(StepPlan plan) {
    waits.planned(plan.stepId(), plan.waitingCount());
    if (step.isEnabled()) {
      final StepEvent event = new StepEvent();
      event.stepId = plan.stepId();
      event.begin();
      steps.addLast(event);
      if (steps.size() > STEPS_KEPT) {
        steps.removeFirst();
      }
    }
  }

  @Override
  public void onStepCompleted(StepResult result) {
    if (steps.isEmpty()) {
      return;
    }
    final long stepId = result.plan().stepId();
    while (!steps.isEmpty() && steps.getFirst().stepId < stepId) {
      steps.removeFirst();
    }
    final StepEvent event = steps.peekFirst();
    if (event != null && event.stepId == stepId) {
      steps.removeFirst();
      event.end();
      if (event.shouldCommit()) {
        fill(event, result);
        event.commit();
      }
    }
  }

  @Override
  public void onFinished(
      long stepId,
      RequestView request,
      FinishReason reason,
      int stopTokenId,
      @Nullable Throwable cause,
      int freedBlocks,
      long nowNs) {
    waits.ended(request);
    if (finished.isEnabled()) {
      final RequestFinishedEvent event = new RequestFinishedEvent();
      event.requestId = request.id();
      event.reason = reason.label();
      event.endToEnd = nowNs - request.arrivalNs();
      event.promptTokens = request.promptTokens();
      event.outputTokens = request.outputTokens();
      event.cachedTokens = request.cachedTokens();
      event.preemptions = request.preemptions();
      event.freedBlocks = freedBlocks;
      event.cause = cause == null ? null : cause.toString();
      event.commit();
    }
  }

  @Override
  public void close() {
    waits.close();
    steps.clear();
  }

  private static void fill(StepEvent event, StepResult result) {
    final StepPlan plan = result.plan();
    final StepOutput output = result.output();
    event.schedule = plan.endNs() - plan.beginNs();
    event.prepare = output.prepareNs();
    event.forward = output.forwardNs();
    event.sample = output.sampleNs();
    event.execute = result.wasExecuted() ? result.outputNs() - result.submitNs() : ABSENT;
    event.update = result.endNs() - result.outputNs();
    event.batchSize = plan.size();
    event.tokens = plan.totalTokens();
    event.running = plan.runningCount();
    event.waiting = plan.waitingCount();
    event.freeBlocks = plan.freeBlocks();
    final Throwable failure = result.failure();
    event.failure = failure == null ? null : failure.toString();
  }
}
