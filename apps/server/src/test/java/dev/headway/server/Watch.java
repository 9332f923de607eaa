package dev.headway.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.probe.FinishedEvent;
import dev.headway.api.probe.JourneyEvent;
import dev.headway.api.probe.Probe;
import dev.headway.api.probe.QueuedEvent;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;

/** Hears how requests come and go, and waits for conditions. */
final class Watch implements Probe {

  final List<JourneyEvent> journeys = new CopyOnWriteArrayList<>();
  final List<String> ends = new CopyOnWriteArrayList<>();
  final List<String> traceParents = new CopyOnWriteArrayList<>();
  volatile int blocksHeld;

  @Override
  public void onQueued(QueuedEvent event) {
    final String traceParent = event.request().request().traceParent();
    if (traceParent != null) {
      traceParents.add(traceParent);
    }
  }

  @Override
  public void onJourney(JourneyEvent event) {
    journeys.add(event);
  }

  @Override
  public void onFinished(FinishedEvent event) {
    blocksHeld = event.request().kvBlocks();
    ends.add(event.reason() + (event.freedBlocks() > 0 ? " frees" : ""));
  }

  List<String> stages() {
    return journeys.stream()
        .map(event -> event.stage().label() + (event.reason() == null ? "" : ":" + event.reason()))
        .toList();
  }

  /** Waits until it holds; in vain for at most 20 s. */
  static void until(String what, BooleanSupplier condition) {
    final long deadlineNs = System.nanoTime() + 20_000_000_000L;
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("waiting until %s", what).isLessThan(deadlineNs);
      Thread.onSpinWait();
      Thread.yield();
    }
  }
}
