package dev.headway.events.jfr;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.model.Decision;
import dev.headway.events.model.RequestTimeline;
import dev.headway.events.model.RunListener;
import dev.headway.events.model.RunTimeline;
import dev.headway.events.model.StepTimeline;
import dev.headway.events.model.WaitInterval;
import dev.headway.events.model.WaitListener;
import dev.headway.events.record.FinishedRecord;
import dev.headway.events.record.RejectedRecord;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Emits JFR events for the notifications of the run model, if a recording has them enabled. One
 * thread, one run.
 */
final class JfrListener implements RunListener, WaitListener {

  /** Upper bound of the steps in flight, and of the begun events kept. */
  private static final int STEPS_KEPT = 64;

  private final StepEvent step = new StepEvent();
  private final PreemptionEvent preemption = new PreemptionEvent();
  private final RequestFinishedEvent finished = new RequestFinishedEvent();
  private final RequestRejectedEvent rejected = new RequestRejectedEvent();
  private final ArrayDeque<StepEvent> steps = new ArrayDeque<>();
  private @Nullable WaitEvents waits;

  @Override
  public RunListener onRun(RunTimeline run) {
    waits = new WaitEvents(run);
    return this;
  }

  @Override
  public void onQueued(RequestTimeline request) {
    waits().queued(request);
  }

  @Override
  public void onRejected(RejectedRecord rejection) {
    if (rejected.isEnabled()) {
      final RequestRejectedEvent out = new RequestRejectedEvent();
      out.requestId = rejection.requestId();
      out.reason = rejection.reason();
      out.message = rejection.message();
      out.promptTokens = rejection.promptTokens();
      out.commit();
    }
  }

  @Override
  public void onDecision(Decision decision, long atNs, long stepId) {
    waits().decided(decision, stepId);
  }

  @Override
  public void onWaitEnded(WaitInterval wait) {
    waits().ended(wait.request(), wait.lastCause().reason());
  }

  @Override
  public void onPreempted(Decision.Preempted decision, long nowNs) {
    if (preemption.isEnabled()) {
      final PreemptionEvent out = new PreemptionEvent();
      final RequestTimeline beneficiary = decision.beneficiary();
      out.stepId = decision.record().stepId();
      out.requestId = decision.request().id();
      out.cause = decision.record().cause();
      out.beneficiary = beneficiary == null ? null : beneficiary.id();
      out.lostTokens = decision.record().lostTokens();
      out.freedBlocks = decision.record().freedBlocks();
      out.commit();
    }
  }

  @Override
  public void onPlanned(StepTimeline planned) {
    waits().planned(planned.plan());
    if (step.isEnabled()) {
      final StepEvent out = new StepEvent();
      out.stepId = planned.plan().stepId();
      out.running = planned.plan().runningCount();
      out.waiting = planned.plan().waitingCount();
      out.freeBlocks = planned.plan().freeBlocks();
      out.begin();
      steps.addLast(out);
      if (steps.size() > STEPS_KEPT) {
        steps.removeFirst();
      }
    }
  }

  @Override
  public void onStep(StepTimeline done) {
    final long stepId = done.plan().stepId();
    while (!steps.isEmpty() && steps.getFirst().stepId < stepId) {
      steps.removeFirst();
    }
    final StepEvent out = steps.peekFirst();
    if (out != null && out.stepId == stepId) {
      steps.removeFirst();
      out.end();
      if (out.shouldCommit()) {
        fill(out, done);
        out.commit();
      }
    }
  }

  @Override
  public void onFinished(RequestTimeline request, FinishedRecord end) {
    waits().stalled(request);
    if (finished.isEnabled()) {
      final long cachedTokens = request.firstCachedTokens();
      final RequestFinishedEvent out = new RequestFinishedEvent();
      out.requestId = request.id();
      out.reason = end.reason();
      out.endToEnd = request.endToEndNs();
      out.promptTokens = request.queued().promptTokens();
      out.outputTokens = (int) end.outputTokens();
      out.cachedTokens = cachedTokens == ABSENT ? 0 : (int) cachedTokens;
      out.preemptions = request.preemptions();
      out.freedBlocks = end.freedBlocks();
      out.cause = end.cause();
      out.commit();
    }
  }

  @Override
  public void onRunEnded(long nowNs) {
    waits().close();
    steps.clear();
  }

  private WaitEvents waits() {
    if (waits == null) {
      throw new IllegalStateException("a run must begin before anything happens in it");
    }
    return waits;
  }

  private static void fill(StepEvent event, StepTimeline done) {
    event.schedule = done.scheduleNs();
    event.prepare = done.prepareNs();
    event.forward = done.timedForwardNs();
    event.sample = done.sampleNs();
    event.execute = done.runNs();
    event.update = done.updateNs();
    event.batchSize = done.plan().batchSize();
    event.tokens = done.plan().totalTokens();
    event.failure = done.failure();
  }
}
