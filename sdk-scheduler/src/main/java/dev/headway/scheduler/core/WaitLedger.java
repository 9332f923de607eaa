package dev.headway.scheduler.core;

import dev.headway.api.probe.SchedulerEvents;
import dev.headway.api.schedule.WaitReason;
import dev.headway.scheduler.state.RequestState;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Wait reasons of requests; notifies the probe of changes.
 *
 * <p>A request that a decision has refused has an individual reason; all others in the queue share
 * the one for which admissions ended. So a step costs O(refusals + changes), independent of the
 * queue length. Engine thread only; allocates only to grow.
 */
final class WaitLedger {

  private final SchedulerEvents events;
  private @Nullable RequestState[] holders;
  private int holderCount;
  private @Nullable WaitReason closedReason;
  private long closedBlocker = -1;

  WaitLedger(SchedulerEvents events, int expectedHolders) {
    this.events = events;
    this.holders = new RequestState[expectedHolders];
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
      events.blocked(stepId, request, reason, blocker, needed, free);
    }
  }

  /** Drops the reason of a request that was admitted or has ended. */
  void settle(RequestState request) {
    if (request.waitReason != null) {
      request.waitReason = null;
      request.blockerNumber = -1;
      drop(request);
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
    for (int i = 0; i < holderCount; i++) {
      if (holders[i] == request) {
        holders[i] = holders[--holderCount];
        holders[holderCount] = null;
        return;
      }
    }
  }
}
