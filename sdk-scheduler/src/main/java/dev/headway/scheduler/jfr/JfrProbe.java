package dev.headway.scheduler.jfr;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.probe.AdmissionsClosedEvent;
import dev.headway.api.probe.AdmittedEvent;
import dev.headway.api.probe.BlockedEvent;
import dev.headway.api.probe.FinishedEvent;
import dev.headway.api.probe.PlannedEvent;
import dev.headway.api.probe.PreemptedEvent;
import dev.headway.api.probe.Probe;
import dev.headway.api.probe.ProbeInterest;
import dev.headway.api.probe.QueuedEvent;
import dev.headway.api.probe.RejectedEvent;
import dev.headway.api.probe.StepCompletedEvent;
import dev.headway.api.probe.UnblockedEvent;
import dev.headway.api.request.RequestStatus;
import dev.headway.api.request.RequestView;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import java.util.ArrayDeque;
import java.util.EnumSet;
import java.util.Set;

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
  public void onQueued(QueuedEvent event) {
    waits.queued(event.request());
  }

  @Override
  public void onRejected(RejectedEvent event) {
    if (rejected.isEnabled()) {
      final RequestRejectedEvent out = new RequestRejectedEvent();
      out.requestId = event.request().id();
      out.reason = event.reason().label();
      out.message = event.message();
      out.promptTokens = event.request().promptTokens();
      out.commit();
    }
  }

  @Override
  public void onAdmitted(AdmittedEvent event) {
    waits.ended(event.request());
  }

  @Override
  public void onBlocked(BlockedEvent event) {
    waits.blocked(
        event.stepId(),
        event.request(),
        event.reason(),
        event.blocker(),
        event.needed(),
        event.free());
  }

  @Override
  public void onUnblocked(UnblockedEvent event) {
    if (event.request().status() == RequestStatus.RUNNING) {
      waits.ended(event.request());
    } else {
      waits.unexamined(event.stepId(), event.request());
    }
  }

  @Override
  public void onAdmissionsClosed(AdmissionsClosedEvent event) {
    waits.closed(event.stepId(), event.reason(), event.blocker());
  }

  @Override
  public void onPreempted(PreemptedEvent event) {
    if (preemption.isEnabled()) {
      final PreemptionEvent out = new PreemptionEvent();
      final RequestView beneficiary = event.beneficiary();
      out.stepId = event.stepId();
      out.requestId = event.request().id();
      out.cause = event.cause().label();
      out.beneficiary = beneficiary == null ? null : beneficiary.id();
      out.lostTokens = event.lostTokens();
      out.freedBlocks = event.freedBlocks();
      out.commit();
    }
  }

  @Override
  public void onPlanned(PlannedEvent event) {
    waits.planned(event.stepId(), event.waitingCount());
    if (step.isEnabled()) {
      final StepEvent out = new StepEvent();
      out.stepId = event.stepId();
      out.running = event.runningCount();
      out.waiting = event.waitingCount();
      out.freeBlocks = event.freeBlocks();
      out.begin();
      steps.addLast(out);
      if (steps.size() > STEPS_KEPT) {
        steps.removeFirst();
      }
    }
  }

  @Override
  public void onStepCompleted(StepCompletedEvent event) {
    final long stepId = event.stepId();
    while (!steps.isEmpty() && steps.getFirst().stepId < stepId) {
      steps.removeFirst();
    }
    final StepEvent out = steps.peekFirst();
    if (out != null && out.stepId == stepId) {
      steps.removeFirst();
      out.end();
      if (out.shouldCommit()) {
        fill(out, event);
        out.commit();
      }
    }
  }

  @Override
  public void onFinished(FinishedEvent event) {
    waits.ended(event.request());
    if (finished.isEnabled()) {
      final RequestView request = event.request();
      final Throwable cause = event.cause();
      final RequestFinishedEvent out = new RequestFinishedEvent();
      out.requestId = request.id();
      out.reason = event.reason().label();
      out.endToEnd = event.atNs() - request.arrivalNs();
      out.promptTokens = request.promptTokens();
      out.outputTokens = request.outputTokens();
      out.cachedTokens = request.cachedTokens();
      out.preemptions = request.preemptions();
      out.freedBlocks = event.freedBlocks();
      out.cause = cause == null ? null : cause.toString();
      out.commit();
    }
  }

  @Override
  public void close() {
    waits.close();
    steps.clear();
  }

  private static void fill(StepEvent event, StepCompletedEvent result) {
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
    final Throwable failure = result.failure();
    event.failure = failure == null ? null : failure.toString();
  }
}
