package dev.headway.scheduler.probes;

import dev.headway.api.kvcache.KvBlocksStored;
import dev.headway.api.kvcache.KvTransfer;
import dev.headway.api.probe.JourneyEvent;
import dev.headway.api.probe.Probe;
import dev.headway.api.probe.ProbeInterest;
import dev.headway.api.probe.Rejection;
import dev.headway.api.probe.RunInfo;
import dev.headway.api.probe.StepResult;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.RequestView;
import dev.headway.api.schedule.PreemptionCause;
import dev.headway.api.schedule.ResetScope;
import dev.headway.api.schedule.WaitReason;
import dev.headway.api.step.EntryKind;
import dev.headway.api.step.StepPlan;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one probe the scheduler knows: hands each event to those who asked for its kind. A probe that
 * throws anything is taken out, counted and logged once; the step never notices. Engine thread
 * only, except {@link #detachedCount}.
 */
public final class ProbeHub implements Probe {

  private static final Logger LOG = LoggerFactory.getLogger(ProbeHub.class);
  private static final Probe[] NOBODY = {};

  private final List<Probe> all;

  /** What those wanted that are still attached. */
  private final IdentityHashMap<Probe, Set<ProbeInterest>> interests = new IdentityHashMap<>();

  private final AtomicLong detached = new AtomicLong();
  private final boolean hearsRequests;
  private Probe[] requests = NOBODY;
  private Probe[] waits = NOBODY;
  private Probe[] steps = NOBODY;
  private Probe[] kvBlocks = NOBODY;
  private Probe[] scores = NOBODY;

  /** Makes a hub for these probes, which it closes at the end. */
  public ProbeHub(List<Probe> probes) {
    all = new ArrayList<>(probes.size());
    for (Probe probe : probes) {
      add(probe);
    }
    rebuild();
    hearsRequests = requests.length > 0;
  }

  private void add(Probe probe) {
    Probe target = probe;
    try {
      target = probe.writesMappedMemory() ? new MappedProbe(probe) : probe;
      interests.put(target, Set.copyOf(probe.interests()));
    } catch (Throwable t) {
      detached.incrementAndGet();
      logDetached(target, t);
    }
    all.add(target);
  }

  /** Whether any probe asked for what happens to requests, attached still or not. Any thread. */
  public boolean hearsRequests() {
    return hearsRequests;
  }

  /** Probes taken out because they threw. Any thread. */
  public long detachedCount() {
    return detached.get();
  }

  /**
   * Takes out the probes that write to mapped files, after an error that they may have caused.
   *
   * @return whether there were any
   */
  public boolean detachMapped(Throwable cause) {
    boolean any = false;
    for (Probe probe : all) {
      if (probe instanceof MappedProbe && interests.containsKey(probe)) {
        detach(probe, cause);
        any = true;
      }
    }
    return any;
  }

  private void rebuild() {
    requests = interestedIn(ProbeInterest.REQUESTS);
    waits = interestedIn(ProbeInterest.WAITS);
    steps = interestedIn(ProbeInterest.STEPS);
    kvBlocks = interestedIn(ProbeInterest.KV_BLOCKS);
    scores = interestedIn(ProbeInterest.SCORES);
  }

  private Probe[] interestedIn(ProbeInterest interest) {
    return all.stream()
        .filter(probe -> interests.getOrDefault(probe, Set.of()).contains(interest))
        .toArray(Probe[]::new);
  }

  private void detach(Probe probe, Throwable cause) {
    if (interests.remove(probe) != null) {
      detached.incrementAndGet();
      rebuild();
      logDetached(probe, cause);
    }
  }

  private static void logDetached(Probe probe, Throwable cause) {
    LOG.error("probe {} threw and was detached; scheduling goes on", nameOf(probe), cause);
  }

  private static String nameOf(Probe probe) {
    final Probe own = probe instanceof MappedProbe mapped ? mapped.probe() : probe;
    return own.getClass().getName();
  }

  @Override
  public Set<ProbeInterest> interests() {
    final Set<ProbeInterest> union = EnumSet.noneOf(ProbeInterest.class);
    interests.values().forEach(union::addAll);
    return union;
  }

  @Override
  public void onRunStarted(RunInfo run) {
    for (Probe probe : all) {
      try {
        if (interests.containsKey(probe)) {
          probe.onRunStarted(run);
        }
      } catch (Throwable t) {
        detach(probe, t);
      }
    }
  }

  @Override
  public void onQueued(RequestView request) {
    for (Probe probe : requests) {
      try {
        probe.onQueued(request);
      } catch (Throwable t) {
        detach(probe, t);
      }
    }
  }

  @Override
  public void onRejected(Rejection rejection) {
    for (Probe probe : requests) {
      try {
        probe.onRejected(rejection);
      } catch (Throwable t) {
        detach(probe, t);
      }
    }
  }

  @Override
  public void onAdmitted(
      long stepId, RequestView request, EntryKind kind, int cachedTokens, int lostTokens) {
    for (Probe probe : requests) {
      try {
        probe.onAdmitted(stepId, request, kind, cachedTokens, lostTokens);
      } catch (Throwable t) {
        detach(probe, t);
      }
    }
  }

  @Override
  public void onBlocked(
      long stepId,
      RequestView request,
      WaitReason reason,
      @Nullable RequestView blocker,
      int needed,
      int free) {
    for (Probe probe : waits) {
      try {
        probe.onBlocked(stepId, request, reason, blocker, needed, free);
      } catch (Throwable t) {
        detach(probe, t);
      }
    }
  }

  @Override
  public void onUnblocked(long stepId, RequestView request) {
    for (Probe probe : waits) {
      try {
        probe.onUnblocked(stepId, request);
      } catch (Throwable t) {
        detach(probe, t);
      }
    }
  }

  @Override
  public void onAdmissionsClosed(long stepId, WaitReason reason, @Nullable RequestView blocker) {
    for (Probe probe : waits) {
      try {
        probe.onAdmissionsClosed(stepId, reason, blocker);
      } catch (Throwable t) {
        detach(probe, t);
      }
    }
  }

  @Override
  public void onPreempted(
      long stepId,
      RequestView victim,
      PreemptionCause cause,
      @Nullable RequestView beneficiary,
      int lostTokens,
      int freedBlocks) {
    for (Probe probe : requests) {
      try {
        probe.onPreempted(stepId, victim, cause, beneficiary, lostTokens, freedBlocks);
      } catch (Throwable t) {
        detach(probe, t);
      }
    }
  }

  @Override
  public void onCacheReset(ResetScope scope, long nowNs) {
    for (Probe probe : requests) {
      try {
        probe.onCacheReset(scope, nowNs);
      } catch (Throwable t) {
        detach(probe, t);
      }
    }
  }

  @Override
  public void onScored(long stepId, RequestView candidate, double score) {
    for (Probe probe : scores) {
      try {
        probe.onScored(stepId, candidate, score);
      } catch (Throwable t) {
        detach(probe, t);
      }
    }
  }

  @Override
  public void onJourney(JourneyEvent event) {
    for (Probe probe : requests) {
      try {
        probe.onJourney(event);
      } catch (Throwable t) {
        detach(probe, t);
      }
    }
  }

  @Override
  public void onPlanned(StepPlan plan) {
    for (Probe probe : steps) {
      try {
        probe.onPlanned(plan);
      } catch (Throwable t) {
        detach(probe, t);
      }
    }
  }

  @Override
  public void onFirstToken(long stepId, RequestView request, long nowNs) {
    for (Probe probe : requests) {
      try {
        probe.onFirstToken(stepId, request, nowNs);
      } catch (Throwable t) {
        detach(probe, t);
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
    for (Probe probe : requests) {
      try {
        probe.onFinished(stepId, request, reason, stopTokenId, cause, freedBlocks, nowNs);
      } catch (Throwable t) {
        detach(probe, t);
      }
    }
  }

  @Override
  public void onStepCompleted(StepResult result) {
    for (Probe probe : steps) {
      try {
        probe.onStepCompleted(result);
      } catch (Throwable t) {
        detach(probe, t);
      }
    }
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

  @Override
  public void onKvStored(RequestView request, KvBlocksStored blocks) {
    for (Probe probe : kvBlocks) {
      try {
        probe.onKvStored(request, blocks);
      } catch (Throwable t) {
        detach(probe, t);
      }
    }
  }

  @Override
  public void onKvRemoved(long contentHash, int group) {
    for (Probe probe : kvBlocks) {
      try {
        probe.onKvRemoved(contentHash, group);
      } catch (Throwable t) {
        detach(probe, t);
      }
    }
  }

  @Override
  public void onKvCleared() {
    for (Probe probe : kvBlocks) {
      try {
        probe.onKvCleared();
      } catch (Throwable t) {
        detach(probe, t);
      }
    }
  }

  @Override
  public void onKvTransfer(KvTransfer transfer, long nowNs) {
    for (Probe probe : kvBlocks) {
      try {
        probe.onKvTransfer(transfer, nowNs);
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
        LOG.error("probe {} failed to close", nameOf(probe), t);
      }
    }
  }
}
