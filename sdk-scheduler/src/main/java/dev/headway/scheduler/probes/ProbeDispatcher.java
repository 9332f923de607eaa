package dev.headway.scheduler.probes;

import dev.headway.api.kvcache.KvBlockRemoved;
import dev.headway.api.kvcache.KvBlocksStored;
import dev.headway.api.kvcache.KvCacheCleared;
import dev.headway.api.kvcache.KvTransfer;
import dev.headway.api.probe.AdmissionsClosedEvent;
import dev.headway.api.probe.AdmittedEvent;
import dev.headway.api.probe.BlockedEvent;
import dev.headway.api.probe.CacheResetEvent;
import dev.headway.api.probe.FinishedEvent;
import dev.headway.api.probe.FirstTokenEvent;
import dev.headway.api.probe.JourneyEvent;
import dev.headway.api.probe.LimitsChangedEvent;
import dev.headway.api.probe.MappedMemoryProbe;
import dev.headway.api.probe.PlannedEvent;
import dev.headway.api.probe.PreemptedEvent;
import dev.headway.api.probe.Probe;
import dev.headway.api.probe.ProbeInterest;
import dev.headway.api.probe.QueuedEvent;
import dev.headway.api.probe.RejectedEvent;
import dev.headway.api.probe.RunInfo;
import dev.headway.api.probe.ScoredEvent;
import dev.headway.api.probe.StepCompletedEvent;
import dev.headway.api.probe.UnblockedEvent;
import dev.headway.api.step.StepPlan;
import java.util.EnumSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one probe that the scheduler and the engine know: hands each event to the probes that asked
 * for its kind. A probe that throws anything is detached, counted and logged once; the step goes on
 * unharmed. Engine thread only, except {@link #detachedCount} and {@link #listensTo}; allocates
 * nothing.
 */
public final class ProbeDispatcher implements Probe {

  private static final Logger LOG = LoggerFactory.getLogger(ProbeDispatcher.class);
  private static final Probe[] NONE = {};

  private final List<Probe> all;
  private final Set<ProbeInterest> asked = EnumSet.noneOf(ProbeInterest.class);

  /** What the attached probes asked for. */
  private final IdentityHashMap<Probe, Set<ProbeInterest>> attached = new IdentityHashMap<>();

  private final AtomicLong detached = new AtomicLong();
  private Probe[] requests = NONE;
  private Probe[] waits = NONE;
  private Probe[] steps = NONE;
  private Probe[] kvBlocks = NONE;
  private Probe[] kvTransfers = NONE;
  private Probe[] cacheResets = NONE;
  private Probe[] journeys = NONE;
  private Probe[] scores = NONE;
  private @Nullable StepPlan latestPlan;
  private long latestStepId;

  /** Makes a dispatcher for these probes, which it closes at the end. */
  public ProbeDispatcher(List<Probe> probes) {
    all = List.copyOf(probes);
    for (Probe probe : all) {
      attach(probe);
    }
    attached.values().forEach(asked::addAll);
    route();
  }

  /** Hands an event to one probe. */
  private interface Delivery<E> {
    void to(Probe probe, E event);
  }

  /** Whether any probe asked for a kind of events, attached still or not. Any thread. */
  public boolean listensTo(ProbeInterest kind) {
    return asked.contains(kind);
  }

  /** Probes detached because they threw. Any thread. */
  public long detachedCount() {
    return detached.get();
  }

  /**
   * Detaches the probes that write to mapped files, after an error that they may have caused.
   *
   * @return whether there were any
   */
  public boolean detachMapped(Throwable cause) {
    boolean any = false;
    for (Probe probe : all) {
      if (probe instanceof MappedMemoryProbe && attached.containsKey(probe)) {
        detach(probe, cause);
        any = true;
      }
    }
    return any;
  }

  private void attach(Probe probe) {
    try {
      attached.put(probe, Set.copyOf(probe.interests()));
    } catch (Throwable t) {
      detached.incrementAndGet();
      logDetached(probe, t);
    }
  }

  private void route() {
    requests = interestedIn(ProbeInterest.REQUESTS);
    waits = interestedIn(ProbeInterest.WAITS);
    steps = interestedIn(ProbeInterest.STEPS);
    kvBlocks = interestedIn(ProbeInterest.KV_BLOCKS);
    kvTransfers = interestedIn(ProbeInterest.KV_TRANSFERS);
    cacheResets = interestedIn(ProbeInterest.CACHE_RESETS);
    journeys = interestedIn(ProbeInterest.JOURNEYS);
    scores = interestedIn(ProbeInterest.SCORES);
  }

  private Probe[] interestedIn(ProbeInterest kind) {
    return all.stream()
        .filter(probe -> attached.getOrDefault(probe, Set.of()).contains(kind))
        .toArray(Probe[]::new);
  }

  private void detach(Probe probe, Throwable cause) {
    if (attached.remove(probe) != null) {
      detached.incrementAndGet();
      route();
      logDetached(probe, cause);
    }
  }

  private static void logDetached(Probe probe, Throwable cause) {
    LOG.error(
        "probe {} threw and was detached; scheduling goes on", probe.getClass().getName(), cause);
  }

  private <E> void deliver(Probe[] targets, Delivery<E> delivery, E event) {
    for (Probe probe : targets) {
      try {
        delivery.to(probe, event);
      } catch (Throwable t) {
        detach(probe, t);
      }
    }
  }

  @Override
  public Set<ProbeInterest> interests() {
    return Set.copyOf(asked);
  }

  @Override
  public void onRunStarted(RunInfo run) {
    final Probe[] targets = all.stream().filter(attached::containsKey).toArray(Probe[]::new);
    deliver(targets, Probe::onRunStarted, run);
  }

  @Override
  public void onQueued(QueuedEvent event) {
    deliver(requests, Probe::onQueued, event);
  }

  @Override
  public void onRejected(RejectedEvent event) {
    deliver(requests, Probe::onRejected, event);
  }

  @Override
  public void onAdmitted(AdmittedEvent event) {
    deliver(requests, Probe::onAdmitted, event);
  }

  @Override
  public void onBlocked(BlockedEvent event) {
    deliver(waits, Probe::onBlocked, event);
  }

  @Override
  public void onUnblocked(UnblockedEvent event) {
    deliver(waits, Probe::onUnblocked, event);
  }

  @Override
  public void onAdmissionsClosed(AdmissionsClosedEvent event) {
    deliver(waits, Probe::onAdmissionsClosed, event);
  }

  @Override
  public void onPreempted(PreemptedEvent event) {
    deliver(requests, Probe::onPreempted, event);
  }

  @Override
  public void onCacheReset(CacheResetEvent event) {
    deliver(cacheResets, Probe::onCacheReset, event);
  }

  @Override
  public void onLimitsChanged(LimitsChangedEvent event) {
    deliver(steps, Probe::onLimitsChanged, event);
  }

  @Override
  public void onScored(ScoredEvent event) {
    deliver(scores, Probe::onScored, event);
  }

  @Override
  public void onJourney(JourneyEvent event) {
    deliver(journeys, Probe::onJourney, event);
  }

  /** The latest plan announced, or null; it is out, or was. */
  public @Nullable StepPlan latestPlan() {
    return latestPlan;
  }

  /** Number of the latest step announced; 0 if none was. */
  public long latestStepId() {
    return latestStepId;
  }

  @Override
  public void onPlanned(PlannedEvent event) {
    latestPlan = event.plan();
    latestStepId = event.stepId();
    deliver(steps, Probe::onPlanned, event);
  }

  @Override
  public void onFirstToken(FirstTokenEvent event) {
    deliver(requests, Probe::onFirstToken, event);
  }

  @Override
  public void onFinished(FinishedEvent event) {
    deliver(requests, Probe::onFinished, event);
  }

  @Override
  public void onStepCompleted(StepCompletedEvent event) {
    deliver(steps, Probe::onStepCompleted, event);
  }

  @Override
  public void onKvStored(KvBlocksStored event) {
    deliver(kvBlocks, Probe::onKvStored, event);
  }

  @Override
  public void onKvRemoved(KvBlockRemoved event) {
    deliver(kvBlocks, Probe::onKvRemoved, event);
  }

  @Override
  public void onKvCleared(KvCacheCleared event) {
    deliver(kvBlocks, Probe::onKvCleared, event);
  }

  @Override
  public void onKvTransfer(KvTransfer event) {
    deliver(kvTransfers, Probe::onKvTransfer, event);
  }

  @Override
  public void onIdle(long nowNs) {
    for (Probe probe : steps) {
      try {
        probe.onIdle(nowNs);
      } catch (Throwable t) {
        detach(probe, t);
      }
    }
  }

  /** Closes every probe, detached ones included. */
  @Override
  public void close() {
    for (Probe probe : all) {
      try {
        probe.close();
      } catch (Throwable t) {
        LOG.error("probe {} failed to close", probe.getClass().getName(), t);
      }
    }
  }
}
