package dev.headway.scheduler.soak;

import dev.headway.api.probe.FinishedEvent;
import dev.headway.api.probe.PlannedEvent;
import dev.headway.api.probe.PreemptedEvent;
import dev.headway.api.probe.Probe;
import dev.headway.api.probe.QueuedEvent;
import dev.headway.api.probe.RejectedEvent;
import java.util.concurrent.atomic.AtomicLong;

/** Counts what the engine tells of its requests. Written by the engine thread, read by any. */
final class SoakProbe implements Probe {

  final AtomicLong queued = new AtomicLong();
  final AtomicLong finished = new AtomicLong();
  final AtomicLong rejected = new AtomicLong();
  final AtomicLong preempted = new AtomicLong();

  @Override
  public void onQueued(QueuedEvent event) {
    queued.incrementAndGet();
  }

  @Override
  public void onRejected(RejectedEvent event) {
    rejected.incrementAndGet();
  }

  @Override
  public void onPreempted(PreemptedEvent event) {
    preempted.incrementAndGet();
  }

  @Override
  public void onFinished(FinishedEvent event) {
    finished.incrementAndGet();
  }

  /** Throws at its 1,000th plan, and is taken out. */
  static final class Throwing implements Probe {
    private int plans;

    @Override
    public void onPlanned(PlannedEvent event) {
      if (++plans == 1_000) {
        throw new IllegalStateException("soak: the probe fails");
      }
    }
  }
}
