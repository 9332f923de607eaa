package dev.headway.server;

import dev.headway.api.probe.AdmittedEvent;
import dev.headway.api.probe.PlannedEvent;
import dev.headway.api.probe.Probe;
import dev.headway.api.probe.ProbeInterest;
import dev.headway.api.request.RequestView;
import dev.headway.api.step.EntryKind;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * When requests were queued and first scheduled: known to probes only. Passed to the engine when it
 * is built. {@link #watch} and {@link #take} are for any thread.
 */
public final class QueueTimes implements Probe {

  /** Instants of the engine's clock. */
  record Times(long queuedNs, long scheduledNs) {}

  private static final long NOT_YET = Long.MIN_VALUE;
  private static final Times UNKNOWN = new Times(NOT_YET, NOT_YET);

  private final Map<String, Times> watched = new ConcurrentHashMap<>();
  private final List<RequestView> admitted = new ArrayList<>();

  @Override
  public Set<ProbeInterest> interests() {
    return EnumSet.of(ProbeInterest.REQUESTS, ProbeInterest.STEPS);
  }

  /** Keeps the times of a request that will be submitted. */
  void watch(String id) {
    watched.put(id, UNKNOWN);
  }

  /** Returns the times of a request and forgets it; null if it was never scheduled. */
  @Nullable Times take(String id) {
    final Times times = watched.remove(id);
    return times == null || times.scheduledNs() == NOT_YET ? null : times;
  }

  @Override
  public void onAdmitted(AdmittedEvent event) {
    if (event.kind() == EntryKind.NEW && watched.containsKey(event.request().id())) {
      admitted.add(event.request());
    }
  }

  /** Admissions take effect when the plan is made; inside the step the views are still valid. */
  @Override
  public void onPlanned(PlannedEvent event) {
    for (RequestView request : admitted) {
      watched.replace(request.id(), new Times(request.queuedNs(), event.plan().endNs()));
    }
    admitted.clear();
  }
}
