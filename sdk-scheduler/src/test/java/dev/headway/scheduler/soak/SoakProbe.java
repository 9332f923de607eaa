package dev.headway.scheduler.soak;

import dev.headway.api.probe.Probe;
import dev.headway.api.probe.Rejection;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.RequestView;
import dev.headway.api.schedule.PreemptionCause;
import dev.headway.api.step.StepPlan;
import java.util.concurrent.atomic.AtomicLong;

/** Counts what the engine tells of its requests. Written by the engine thread, read by any. */
final class SoakProbe implements Probe {

  final AtomicLong queued = new AtomicLong();
  final AtomicLong finished = new AtomicLong();
  final AtomicLong rejected = new AtomicLong();
  final AtomicLong preempted = new AtomicLong();

  @Override
  public void onQueued(RequestView request) {
    queued.incrementAndGet();
  }

  @Override
  public void onRejected(Rejection rejection) {
    rejected.incrementAndGet();
  }

  @Override
  public void onPreempted(
      long stepId,
      RequestView victim,
      PreemptionCause cause,
      RequestView beneficiary,
      int lostTokens,
      int freedBlocks) {
    preempted.incrementAndGet();
  }

  @Override
  public void onFinished(
      long stepId,
      RequestView request,
      FinishReason reason,
      int stopTokenId,
      Throwable cause,
      int freedBlocks,
      long nowNs) {
    finished.incrementAndGet();
  }

  /** Throws at its 1,000th plan, and is taken out. */
  static final class Throwing implements Probe {
    private int plans;

    @Override
    public void onPlanned(StepPlan plan) {
      if (++plans == 1_000) {
        throw new IllegalStateException("soak: the probe fails");
      }
    }
  }
}
