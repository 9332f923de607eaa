package dev.headway.serving;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.probe.AdmissionsClosedEvent;
import dev.headway.api.probe.AdmittedEvent;
import dev.headway.api.probe.BlockedEvent;
import dev.headway.api.probe.PlannedEvent;
import dev.headway.api.probe.Probe;
import dev.headway.api.probe.ProbeInterest;
import dev.headway.api.probe.QueuedEvent;
import dev.headway.api.probe.StepCompletedEvent;
import dev.headway.api.step.EntryKind;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * When requests were queued, scheduled and launched, and what they waited for first: known to
 * probes only. How long they waited is in their outcome. Passed to the engine when it is built.
 * {@link #watch} and {@link #take} are for any thread, the rest is the engine's.
 */
public final class EngineTimes implements Probe {

  /** A step's end is reported microseconds after its tokens. */
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);

  /**
   * Instants of the engine's clock.
   *
   * @param queuedNs it was in the waiting queue
   * @param scheduledNs the plan of its first step was made
   * @param launchedNs the executor was given that step
   * @param firstOutputNs that step's output was there
   * @param cachedTokens tokens of its prompt that were found in the prefix cache at first
   * @param waitReason what it waited for first, its own reason or the one that all shared; null if
   *     the first step took it
   */
  public record Times(
      long queuedNs,
      long scheduledNs,
      long launchedNs,
      long firstOutputNs,
      int cachedTokens,
      @Nullable String waitReason) {}

  /**
   * A request that is watched. The engine's thread writes; the thread that takes it has been handed
   * tokens that were produced after that, and waits for {@code firstStep}.
   */
  private static final class Watched {
    private final CountDownLatch firstStep = new CountDownLatch(1);
    private long queuedNs = ABSENT;
    private long scheduledNs = ABSENT;
    private long launchedNs = ABSENT;
    private long firstOutputNs = ABSENT;
    private int cachedTokens;
    private @Nullable String waitReason;

    private Times times() {
      return new Times(queuedNs, scheduledNs, launchedNs, firstOutputNs, cachedTokens, waitReason);
    }
  }

  /** A step under way, and those of whose steps it is the first. */
  private record FirstStep(long stepId, List<Watched> requests) {}

  private final Map<String, Watched> watched = new ConcurrentHashMap<>();
  private final List<Watched> queued = new ArrayList<>();
  private final List<Watched> admitted = new ArrayList<>();
  private final ArrayDeque<FirstStep> firstSteps = new ArrayDeque<>();
  private @Nullable String sharedReason;

  /** Watches no request yet. */
  public EngineTimes() {}

  @Override
  public Set<ProbeInterest> interests() {
    return EnumSet.of(ProbeInterest.REQUESTS, ProbeInterest.WAITS, ProbeInterest.STEPS);
  }

  /** Keeps the times of a request that will be submitted. */
  public void watch(String id) {
    watched.put(id, new Watched());
  }

  /**
   * Returns the times of a request whose tokens were taken, and forgets it; null if it had none.
   * The tokens of its first step are here a little before the engine says when that step was
   * launched, which is waited for.
   *
   * @throws InterruptedException if the caller is interrupted
   */
  public @Nullable Times take(String id) throws InterruptedException {
    final Watched request = watched.get(id);
    if (request == null || !request.firstStep.await(LONGEST_WAIT.toNanos(), TimeUnit.NANOSECONDS)) {
      forget(id);
      return null;
    }
    forget(id);
    return request.times();
  }

  /** Ends the watch. */
  public void forget(String id) {
    watched.remove(id);
  }

  @Override
  public void onQueued(QueuedEvent event) {
    final Watched request = watched.get(event.request().id());
    if (request != null) {
      request.queuedNs = event.request().queuedNs();
      queued.add(request);
    }
  }

  @Override
  public void onBlocked(BlockedEvent event) {
    final Watched request = watched.get(event.request().id());
    if (request != null && request.waitReason == null) {
      request.waitReason = event.reason().label();
    }
  }

  @Override
  public void onAdmissionsClosed(AdmissionsClosedEvent event) {
    sharedReason = event.reason().label();
  }

  @Override
  public void onAdmitted(AdmittedEvent event) {
    final Watched request = watched.get(event.request().id());
    if (request == null) {
      return;
    }
    if (event.kind() == EntryKind.NEW) {
      request.cachedTokens = event.cachedTokens();
    }
    admitted.add(request);
  }

  /** Admissions take effect when the plan is made. */
  @Override
  public void onPlanned(PlannedEvent event) {
    begin(event);
    for (Watched request : queued) {
      if (request.scheduledNs == ABSENT && request.waitReason == null) {
        request.waitReason = sharedReason;
      }
    }
    queued.clear();
  }

  private void begin(PlannedEvent event) {
    if (admitted.isEmpty()) {
      return;
    }
    final List<Watched> begun = new ArrayList<>();
    for (Watched request : admitted) {
      if (request.scheduledNs == ABSENT) {
        request.scheduledNs = event.endNs();
        begun.add(request);
      }
    }
    admitted.clear();
    if (!begun.isEmpty()) {
      firstSteps.add(new FirstStep(event.plan().stepId(), begun));
    }
  }

  @Override
  public void onStepCompleted(StepCompletedEvent event) {
    final FirstStep first = firstSteps.peek();
    if (first == null || first.stepId != event.plan().stepId()) {
      return;
    }
    firstSteps.remove();
    for (Watched request : first.requests) {
      request.launchedNs = event.submitNs();
      request.firstOutputNs = event.outputNs();
      request.firstStep.countDown();
    }
  }
}
