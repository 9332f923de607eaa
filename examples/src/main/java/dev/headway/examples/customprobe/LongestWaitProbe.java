package dev.headway.examples.customprobe;

import dev.headway.api.probe.Probe;
import dev.headway.api.probe.ProbeInterest;
import dev.headway.api.request.RequestStatus;
import dev.headway.api.request.RequestView;
import dev.headway.api.schedule.PreemptionCause;
import dev.headway.api.schedule.WaitReason;
import dev.headway.api.step.EntryKind;
import dev.headway.api.step.StepPlan;
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
  private final Map<Long, Stay> waiting = new HashMap<>();
  private final List<Stay> begun = new ArrayList<>();
  private final List<Stay> ended = new ArrayList<>();
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
  public void onQueued(RequestView request) {
    waiting.put(request.number(), new Stay(request.id(), latestStepId, request.queuedNs()));
  }

  @Override
  public void onPreempted(
      long stepId,
      RequestView victim,
      PreemptionCause cause,
      @Nullable RequestView beneficiary,
      int lostTokens,
      int freedBlocks) {
    final Stay stay = new Stay(victim.id(), stepId, 0);
    waiting.put(victim.number(), stay);
    begun.add(stay);
  }

  @Override
  public void onBlocked(
      long stepId,
      RequestView request,
      WaitReason reason,
      @Nullable RequestView blocker,
      int needed,
      int free) {
    setOwnReason(request, reason);
  }

  @Override
  public void onUnblocked(long stepId, RequestView request) {
    setOwnReason(request, null);
  }

  @Override
  public void onAdmissionsClosed(long stepId, WaitReason reason, @Nullable RequestView blocker) {
    sharedReason = reason; // comes after the admissions of its step: they waited for the one before
  }

  @Override
  public void onAdmitted(
      long stepId, RequestView request, EntryKind kind, int cachedTokens, int lostTokens) {
    final Stay stay = waiting.remove(request.number());
    if (stay != null) {
      if (stay.reason == null) {
        stay.reason = stay.afterStepId == stepId - 1 ? WaitReason.INITIAL_WAITING : sharedReason;
      }
      ended.add(stay);
    }
  }

  @Override
  public void onPlanned(StepPlan plan) {
    begun.forEach(stay -> stay.sinceNs = plan.endNs());
    begun.clear();
    ended.forEach(stay -> compare(stay, plan.endNs()));
    ended.clear();
    latestStepId = plan.stepId();
  }

  @Override
  public void close() {
    out.println("longest-wait: " + longestStay);
  }

  private void setOwnReason(RequestView request, @Nullable WaitReason reason) {
    final Stay stay =
        request.status() == RequestStatus.RUNNING ? null : waiting.get(request.number());
    if (stay != null) {
      stay.reason = reason;
    }
  }

  private void compare(Stay stay, long nowNs) {
    final long lengthNs = nowNs - stay.sinceNs;
    if (lengthNs > longestNs && stay.reason != null) {
      longestNs = lengthNs;
      longestStay =
          "request=" + stay.requestId + ", ns=" + lengthNs + ", reason=" + stay.reason.label();
    }
  }

  /** One stay of one request in the queue. */
  private static final class Stay {
    private final String requestId;
    private final long afterStepId;
    private long sinceNs;
    private @Nullable WaitReason reason;

    Stay(String requestId, long afterStepId, long sinceNs) {
      this.requestId = requestId;
      this.afterStepId = afterStepId;
      this.sinceNs = sinceNs;
    }
  }
}
