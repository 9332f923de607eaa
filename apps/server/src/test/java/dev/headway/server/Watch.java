package dev.headway.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.probe.JourneyEvent;
import dev.headway.api.probe.Probe;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.RequestView;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Hears how requests come and go, and waits for conditions. */
final class Watch implements Probe {

  final List<JourneyEvent> journeys = new CopyOnWriteArrayList<>();
  final List<String> ends = new CopyOnWriteArrayList<>();
  final List<String> traceParents = new CopyOnWriteArrayList<>();
  volatile int blocksHeld;

  @Override
  public void onQueued(RequestView request) {
    request.request().traceParent().ifPresent(traceParents::add);
  }

  @Override
  public void onJourney(JourneyEvent event) {
    journeys.add(event);
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
    blocksHeld = request.kvBlocks();
    ends.add(reason + (freedBlocks > 0 ? " frees" : ""));
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
