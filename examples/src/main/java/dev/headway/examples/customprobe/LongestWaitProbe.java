package dev.headway.examples.customprobe;

import dev.headway.api.probe.AdmissionsClosedEvent;
import dev.headway.api.probe.AdmittedEvent;
import dev.headway.api.probe.BlockedEvent;
import dev.headway.api.probe.PlannedEvent;
import dev.headway.api.probe.PreemptedEvent;
import dev.headway.api.probe.Probe;
import dev.headway.api.probe.ProbeInterest;
import dev.headway.api.probe.QueuedEvent;
import dev.headway.api.probe.UnblockedEvent;
import dev.headway.api.request.RequestStatus;
import dev.headway.api.request.RequestView;
import dev.headway.api.schedule.WaitReason;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds the longest uninterrupted stay in the waiting queue that ended with an admission, and the
 * reason that held when it ended; prints one line when the engine closes.
 *
 * <p>Engine thread only. Memory is bounded by the requests that wait.
 */
public final class LongestWaitProbe implements Probe {

  private final PrintStream out;
  private final Map<Long, WaitInterval> waiting = new HashMap<>();
  private final List<WaitInterval> begun = new ArrayList<>();
  private final List<WaitInterval> ended = new ArrayList<>();
  private WaitReason sharedReason = WaitReason.INITIAL_WAITING;
  private long latestStepId;
  private long longestNs = -1;
  private String longestStay = "nobody waited";

  LongestWaitProbe(PrintStream out) {
    this.out = out;
  }

  /** STEPS too: what a step decides takes effect at an instant that only its plan tells. */
  @Override
  public Set<ProbeInterest> interests() {
    return EnumSet.of(ProbeInterest.REQUESTS, ProbeInterest.WAITS, ProbeInterest.STEPS);
  }

  @Override
  public void onQueued(QueuedEvent event) {
    waiting.put(
        event.request().number(),
        new WaitInterval(event.request().id(), latestStepId, event.request().queuedNs()));
  }

  @Override
  public void onPreempted(PreemptedEvent event) {
    final WaitInterval stay = new WaitInterval(event.request().id(), event.stepId(), 0);
    waiting.put(event.request().number(), stay);
    begun.add(stay);
  }

  @Override
  public void onBlocked(BlockedEvent event) {
    setOwnReason(event.request(), event.reason());
  }

  @Override
  public void onUnblocked(UnblockedEvent event) {
    setOwnReason(event.request(), null);
  }

  @Override
  public void onAdmissionsClosed(AdmissionsClosedEvent event) {
    sharedReason =
        event.reason(); // comes after the admissions of its step: they waited for the one before
  }

  @Override
  public void onAdmitted(AdmittedEvent event) {
    final WaitInterval stay = waiting.remove(event.request().number());
    if (stay != null) {
      if (stay.reason == null) {
        stay.reason =
            stay.afterStepId == event.stepId() - 1 ? WaitReason.INITIAL_WAITING : sharedReason;
      }
      ended.add(stay);
    }
  }

  @Override
  public void onPlanned(PlannedEvent event) {
    begun.forEach(stay -> stay.sinceNs = event.plan().endNs());
    begun.clear();
    ended.forEach(stay -> compare(stay, event.plan().endNs()));
    ended.clear();
    latestStepId = event.plan().stepId();
  }

  @Override
  public void close() {
    out.println("longest-wait: " + longestStay);
  }

  private void setOwnReason(RequestView request, @Nullable WaitReason reason) {
    final WaitInterval stay =
        request.status() == RequestStatus.RUNNING ? null : waiting.get(request.number());
    if (stay != null) {
      stay.reason = reason;
    }
  }

  private void compare(WaitInterval stay, long nowNs) {
    final long lengthNs = nowNs - stay.sinceNs;
    if (lengthNs > longestNs && stay.reason != null) {
      longestNs = lengthNs;
      longestStay =
          "request=" + stay.requestId + ", ns=" + lengthNs + ", reason=" + stay.reason.label();
    }
  }

  /** One stay of one request in the queue. */
  private static final class WaitInterval {
    private final String requestId;
    private final long afterStepId;
    private long sinceNs;
    private @Nullable WaitReason reason;

    WaitInterval(String requestId, long afterStepId, long sinceNs) {
      this.requestId = requestId;
      this.afterStepId = afterStepId;
      this.sinceNs = sinceNs;
    }
  }
}
