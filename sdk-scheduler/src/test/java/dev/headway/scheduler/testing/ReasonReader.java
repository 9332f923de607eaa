package dev.headway.scheduler.testing;

import dev.headway.api.probe.Probe;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.RequestView;
import dev.headway.api.schedule.PreemptionCause;
import dev.headway.api.schedule.WaitReason;
import dev.headway.api.step.EntryKind;
import dev.headway.api.step.StepPlan;
import java.util.HashMap;
import java.util.Map;

/**
 * Knows at any time why each request waits, as a reader of the events does: by the reason of its
 * own, or else the shared one; two reasons are never told and read off queueing and plans.
 */
public final class ReasonReader implements Probe {

  private static final class Reader {
    boolean waiting = true;
    boolean seenByAStep;
    String own;
    String ofItsEntry;
    int computedBeforePreemption;
  }

  private final Map<String, Reader> requests = new HashMap<>();
  private String shared;

  /** The reason in force, as {@code HEAD_OF_LINE by b needed=0 free=0}; {@code -} for none. */
  public String reasonOf(String id) {
    final Reader reader = requests.get(id);
    if (reader == null) {
      return "-";
    }
    if (reader.own != null) {
      return reader.own;
    }
    if (!reader.waiting) {
      return reader.ofItsEntry == null ? "-" : reader.ofItsEntry;
    }
    return reader.seenByAStep ? String.valueOf(shared) : text(WaitReason.INITIAL_WAITING, null);
  }

  @Override
  public void onQueued(RequestView request) {
    requests.put(request.id(), new Reader());
  }

  @Override
  public void onAdmitted(
      long stepId, RequestView request, EntryKind kind, int cachedTokens, int lostTokens) {
    final Reader reader = requests.get(request.id());
    reader.waiting = false;
    reader.own = null;
  }

  @Override
  public void onBlocked(
      long stepId,
      RequestView request,
      WaitReason reason,
      RequestView blocker,
      int needed,
      int free) {
    requests.get(request.id()).own = text(reason, blocker, needed, free);
  }

  @Override
  public void onUnblocked(long stepId, RequestView request) {
    requests.get(request.id()).own = null;
  }

  @Override
  public void onAdmissionsClosed(long stepId, WaitReason reason, RequestView blocker) {
    shared = text(reason, blocker);
  }

  @Override
  public void onPreempted(
      long stepId,
      RequestView victim,
      PreemptionCause cause,
      RequestView beneficiary,
      int lostTokens,
      int freedBlocks) {
    final Reader reader = requests.get(victim.id());
    reader.waiting = true;
    reader.computedBeforePreemption = lostTokens;
  }

  @Override
  public void onPlanned(StepPlan plan) {
    requests.values().forEach(reader -> reader.seenByAStep = true);
    requests.values().forEach(reader -> reader.ofItsEntry = null);
    for (int entry = 0; entry < plan.size(); entry++) {
      final Reader reader = requests.get(plan.request(entry).id());
      if (!plan.samples(entry)) {
        final boolean again = plan.computedTokens(entry) < reader.computedBeforePreemption;
        reader.ofItsEntry =
            text(again ? WaitReason.RECOMPUTATION : WaitReason.CHUNKED_PREFILL, null);
      }
    }
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
    requests.remove(request.id());
  }

  private static String text(WaitReason reason, RequestView blocker) {
    return text(reason, blocker, 0, 0);
  }

  private static String text(WaitReason reason, RequestView blocker, int needed, int free) {
    return reason
        + " by "
        + (blocker == null ? "-" : blocker.id())
        + " needed="
        + needed
        + " free="
        + free;
  }
}
