package dev.headway.scheduler.testing;

import dev.headway.api.probe.AdmissionsClosedEvent;
import dev.headway.api.probe.AdmittedEvent;
import dev.headway.api.probe.BlockedEvent;
import dev.headway.api.probe.FinishedEvent;
import dev.headway.api.probe.PlannedEvent;
import dev.headway.api.probe.PreemptedEvent;
import dev.headway.api.probe.Probe;
import dev.headway.api.probe.QueuedEvent;
import dev.headway.api.probe.UnblockedEvent;
import dev.headway.api.request.RequestView;
import dev.headway.api.schedule.WaitReason;
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
  public void onQueued(QueuedEvent event) {
    requests.put(event.request().id(), new Reader());
  }

  @Override
  public void onAdmitted(AdmittedEvent event) {
    final Reader reader = requests.get(event.request().id());
    reader.waiting = false;
    reader.own = null;
  }

  @Override
  public void onBlocked(BlockedEvent event) {
    requests.get(event.request().id()).own =
        text(event.reason(), event.blocker(), event.needed(), event.free());
  }

  @Override
  public void onUnblocked(UnblockedEvent event) {
    requests.get(event.request().id()).own = null;
  }

  @Override
  public void onAdmissionsClosed(AdmissionsClosedEvent event) {
    shared = text(event.reason(), event.blocker());
  }

  @Override
  public void onPreempted(PreemptedEvent event) {
    final Reader reader = requests.get(event.request().id());
    reader.waiting = true;
    reader.computedBeforePreemption = event.lostTokens();
  }

  @Override
  public void onPlanned(PlannedEvent event) {
    requests.values().forEach(reader -> reader.seenByAStep = true);
    requests.values().forEach(reader -> reader.ofItsEntry = null);
    for (int entry = 0; entry < event.plan().size(); entry++) {
      final Reader reader = requests.get(event.plan().request(entry).id());
      if (!event.plan().samples(entry)) {
        final boolean again = event.plan().computedTokens(entry) < reader.computedBeforePreemption;
        reader.ofItsEntry =
            text(again ? WaitReason.RECOMPUTATION : WaitReason.CHUNKED_PREFILL, null);
      }
    }
  }

  @Override
  public void onFinished(FinishedEvent event) {
    requests.remove(event.request().id());
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
