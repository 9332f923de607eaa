package dev.headway.scheduler.core;

import dev.headway.api.probe.SchedulerEvents;
import dev.headway.api.request.RequestStatus;
import dev.headway.api.schedule.WaitReason;
import dev.headway.api.support.WaitClocks;
import dev.headway.scheduler.state.RequestState;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Wait reasons of requests; notifies the probe of changes.
 *
 * <p>A request that a decision has refused has an individual reason; all others in the queue share
 * the one for which admissions ended. So a step costs O(refusals + changes), independent of the
 * queue length. A request that is held back keeps its reason without being looked at. Engine thread
 * only; allocates only to grow.
 *
 * <p>Accounts for the waiting times: a decision takes effect when its plan is made, one of a cache
 * reset at once, as for readers of the events.
 */
final class WaitLedger {

  private static final int NO_REASON = WaitReason.values().length;

  private final SchedulerEvents events;
  private final WaitClocks clocks = new WaitClocks(NO_REASON, NO_REASON + 1);
  private final long[] takenNs = new long[NO_REASON + 1];
  private @Nullable RequestState[] changed = new RequestState[16];
  private int changedCount;
  private @Nullable RequestState[] holders;
  private int holderCount;
  private @Nullable WaitReason closedReason;
  private long closedBlocker = -1;

  WaitLedger(SchedulerEvents events, int expectedHolders) {
    this.events = events;
    this.holders = new RequestState[expectedHolders];
  }

  /** A request entered the queue. */
  void queued(RequestState request) {
    clocks.begin(request.waits, indexOf(WaitReason.INITIAL_WAITING), request.queuedNs());
    changed(request);
  }

  /** A waiting request is held from outside, at once. */
  void held(long stepId, RequestState request, WaitReason reason, long nowNs) {
    request.waitReason = reason;
    request.keepsWaitReason = true;
    clocks.own(request.waits, indexOf(reason), nowNs);
    events.held(stepId, request, reason, nowNs);
  }

  /** A request that ran, or was preempted, is held from outside, at once. */
  void heldAgain(long stepId, RequestState request, WaitReason reason, long nowNs) {
    settle(request);
    if (!request.waits.isOpen()) {
      clocks.begin(request.waits, indexOf(reason), nowNs);
    }
    held(stepId, request, reason, nowNs);
  }

  /** A waiting request has lost its blocks; what it is held for stays its reason. */
  void gaveBack(long stepId, RequestState request) {
    final WaitReason reason = request.waitReason;
    if (reason != null && request.keepsWaitReason) {
      events.blocked(stepId, request, reason, null, 0, 0);
    } else {
      refuse(stepId, request, WaitReason.PREEMPTED, null, 0, 0);
    }
  }

  /** A request is held no longer, at once: the next plan says why it waits. */
  void released(long stepId, RequestState request, long nowNs) {
    settle(request);
    clocks.own(request.waits, indexOf(WaitReason.INITIAL_WAITING), nowNs);
    changed(request);
    events.released(stepId, request, nowNs);
  }

  /** A running request was preempted outside any step, for this reason. */
  void evicted(RequestState request, long nowNs) {
    clocks.begin(request.waits, indexOf(WaitReason.EVICTED), nowNs);
  }

  /** The plan of a step is made: its decisions take effect. */
  void planned(long nowNs) {
    final int reason = closedReason == null ? NO_REASON : indexOf(closedReason);
    if (reason != clocks.shared()) {
      clocks.share(reason, nowNs);
    }
    for (int i = 0; i < changedCount; i++) {
      final RequestState request = changed[i];
      if (request != null) {
        changed[i] = null;
        request.changedIndex = RequestState.NOWHERE;
        account(request, nowNs);
      }
    }
    changedCount = 0;
  }

  /**
   * Drops the reason of a request that has ended, and closes its account: ns by ordinal of the
   * reason, valid until the next request ends.
   */
  long[] ended(RequestState request, long nowNs) {
    settle(request);
    forgetChange(request);
    return clocks.end(request.waits, nowNs, takenNs);
  }

  private void account(RequestState request, long nowNs) {
    if (request.status == RequestStatus.RUNNING) {
      if (request.waits.isOpen()) {
        clocks.end(request.waits, nowNs);
      }
    } else {
      final WaitReason own = request.waitReason;
      if (!request.waits.isOpen()) {
        clocks.begin(request.waits, indexOf(WaitReason.PREEMPTED), nowNs);
      }
      if (own != null) {
        clocks.own(request.waits, indexOf(own), nowNs);
      } else if (!request.waits.sharesCause()) {
        clocks.share(request.waits, nowNs);
      }
    }
  }

  private void changed(RequestState request) {
    if (request.changedIndex != RequestState.NOWHERE) {
      return;
    }
    if (changedCount == changed.length) {
      dropEnded();
    }
    request.changedIndex = changedCount;
    changed[changedCount++] = request;
  }

  /** So that requests that end between two plans are not kept until the second. */
  private void forgetChange(RequestState request) {
    if (request.changedIndex != RequestState.NOWHERE) {
      changed[request.changedIndex] = null;
      request.changedIndex = RequestState.NOWHERE;
    }
  }

  /** Makes room for more changes. */
  private void dropEnded() {
    int kept = 0;
    for (int i = 0; i < changedCount; i++) {
      final RequestState request = changed[i];
      if (request != null) {
        request.changedIndex = kept;
        changed[kept++] = request;
      }
    }
    Arrays.fill(changed, kept, changedCount, null);
    changedCount = kept;
    if (2 * kept > changed.length) {
      changed = Arrays.copyOf(changed, 2 * changed.length);
    }
  }

  /** Running requests have reasons, too, but do not wait in the queue. */
  private void changedIfQueued(RequestState request) {
    if (request.status != RequestStatus.RUNNING) {
      changed(request);
    }
  }

  @SuppressWarnings("EnumOrdinal") // an index within this process
  private static int indexOf(WaitReason reason) {
    return reason.ordinal();
  }

  /** Records that a decision of step {@code stepId} has refused {@code request}. */
  void refuse(
      long stepId,
      RequestState request,
      WaitReason reason,
      @Nullable RequestState blocker,
      int needed,
      int free) {
    final long blockerNumber = blocker == null ? -1 : blocker.number();
    final boolean unchanged =
        request.waitReason == reason && request.blockerNumber == blockerNumber;
    if (request.waitReason == null) {
      hold(request);
    }
    request.waitReason = reason;
    request.blockerNumber = blockerNumber;
    request.waitReasonStepId = stepId;
    if (!unchanged) {
      changedIfQueued(request);
      events.blocked(stepId, request, reason, blocker, needed, free);
    }
  }

  /**
   * As {@link #refuse}, by a decision that holds until {@link #reconsidered}: the reason needs no
   * confirmation in each step.
   */
  void holdBack(long stepId, RequestState request, WaitReason reason) {
    refuse(stepId, request, reason, null, 0, 0);
    drop(request);
    request.keepsWaitReason = true;
  }

  /** The request is held back no longer: unless this step confirms its reason, it has none. */
  void reconsidered(RequestState request) {
    request.keepsWaitReason = false;
    hold(request);
  }

  /** Drops the reason of a request that was admitted. */
  void admitted(RequestState request) {
    settle(request);
    changed(request);
  }

  private void settle(RequestState request) {
    if (request.waitReason != null) {
      request.waitReason = null;
      request.blockerNumber = -1;
      if (request.keepsWaitReason) {
        request.keepsWaitReason = false;
      } else {
        drop(request);
      }
    }
  }

  /** Ends a step: reasons that no decision of it has confirmed no longer hold. */
  void endStep(long stepId) {
    int kept = 0;
    for (int i = 0; i < holderCount; i++) {
      final RequestState request = holders[i];
      if (request != null && request.waitReasonStepId == stepId) {
        holders[kept++] = request;
      } else if (request != null) {
        request.waitReason = null;
        request.blockerNumber = -1;
        changedIfQueued(request);
        events.unblocked(stepId, request);
      }
    }
    Arrays.fill(holders, kept, holderCount, null);
    holderCount = kept;
  }

  /** Records why the admissions of a step ended with requests left waiting. */
  void closeAdmissions(long stepId, WaitReason reason, @Nullable RequestState blocker) {
    final long blockerNumber = blocker == null ? -1 : blocker.number();
    if (closedReason != reason || closedBlocker != blockerNumber) {
      closedReason = reason;
      closedBlocker = blockerNumber;
      events.admissionsClosed(stepId, reason, blocker);
    }
  }

  private void hold(RequestState request) {
    if (holderCount == holders.length) {
      holders = Arrays.copyOf(holders, 2 * holderCount);
    }
    holders[holderCount++] = request;
  }

  private void drop(RequestState request) {
    for (int i = holderCount - 1; i >= 0; i--) { // most often the one that came last
      if (holders[i] == request) {
        holders[i] = holders[--holderCount];
        holders[holderCount] = null;
        return;
      }
    }
  }
}
