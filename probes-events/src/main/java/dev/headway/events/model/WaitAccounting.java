package dev.headway.events.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/*
 * Waits by cause, without visiting every waiting request in every step.
 *
 * A waiting request has an individual reason, or the one that all others share. The shared one has
 * a clock per cause that runs while any request shares it; a request stores the clocks when it
 * joins, and the difference when it leaves is its time per cause. Requests whose individual reason
 * changed since the previous plan are settled when a plan is complete, as in the CSV projection.
 *
 * The listener is notified per cause: the number of requests with that individual cause, and the
 * instant since which the number holds.
 */
/** Attributes every nanosecond of waiting to exactly one cause. */
final class WaitAccounting {

  private final RunTimeline run;
  private final WaitListener listener;
  private final Causes causes = new Causes();
  private final List<RequestTimeline> dirty = new ArrayList<>();

  private @Nullable RequestTimeline latestBlocker;
  private long latestBlockedNs;
  private @Nullable RequestTimeline blockerBefore;
  private long blockedBeforeNs;
  private Cause shared = causes.unknown;
  private long[] sharedClockNs = new long[8];
  private long sharedSinceNs;
  private int sharers;
  private int[] owners = new int[8];
  private long[] ownersSinceNs = new long[8];

  WaitAccounting(RunTimeline run, WaitListener listener) {
    this.run = run;
    this.listener = listener;
  }

  /** Every cause so far, by its index. */
  List<Cause> causes() {
    return causes.all();
  }

  /** A stay in the queue begins. */
  void begin(RequestTimeline request, String reason, long nowNs) {
    final RequestWaits waits = request.waitsFrom(causes.of(reason, null));
    waits.beginStay(nowNs);
    countOwner(waits.cause(), 1, nowNs);
    waits.afterPreemption = request.preemptions() > 0;
    touch(request);
  }

  /** Its individual reason may have changed: the next plan settles that. */
  void touch(RequestTimeline request) {
    if (!request.waits().dirty) {
      request.waits().dirty = true;
      dirty.add(request);
    }
  }

  /** A plan is complete: every waiting request has a settled cause from now on. */
  void settle(long nowNs) {
    final String reason = run.sharedReason();
    final RequestTimeline sharedBlocker = run.sharedBlocker();
    final Cause next = causes.still(shared, reason, sharedBlocker);
    if (next.index() != shared.index()) {
      runClock(nowNs);
      shared = next;
      if (sharers > 0) {
        listener.onSharedCauseChanged(next, nowNs);
      }
    }
    for (RequestTimeline request : dirty) {
      request.waits().dirty = false;
      if (request.waits().open) {
        settle(request, nowNs);
      }
    }
    dirty.clear();
    if (sharedBlocker != null) {
      if (sharedBlocker != latestBlocker) {
        blockerBefore = latestBlocker;
        blockedBeforeNs = latestBlockedNs;
        latestBlocker = sharedBlocker;
      }
      latestBlockedNs = nowNs;
    }
  }

  /** Reports all waits up to now to the listener. */
  void tell(long nowNs) {
    runClock(nowNs);
    for (int index = 0; index < owners.length; index++) {
      if (owners[index] > 0) {
        runOwnClock(index, nowNs);
      }
    }
  }

  /** Requests that wait for a cause. */
  int waitingFor(Cause cause) {
    final int index = cause.index();
    final int own = index < owners.length ? owners[index] : 0;
    return index == shared.index() ? own + sharers : own;
  }

  /** A stay ends. */
  void end(RequestTimeline request, long nowNs) {
    final RequestWaits waits = request.waits();
    leave(request, nowNs);
    final long[] byCauseNs = waits.closeStay(nowNs - waits.stayFromNs);
    listener.onWaitEnded(
        new WaitInterval(
            request,
            waits.stayFromNs,
            nowNs,
            new CauseTimes(byCauseNs, causes.all()),
            mainOf(byCauseNs, waits.cause()),
            waits.cause(),
            waits.lastBlocker,
            waits.afterPreemption));
  }

  private void settle(RequestTimeline request, long nowNs) {
    final String own = request.ownReason();
    if (own == null) {
      if (!request.waits().shares) {
        leave(request, nowNs);
        join(request, nowNs);
        listener.onCauseChanged(request, nowNs);
      }
      return;
    }
    final RequestTimeline blocker = request.ownBlocker();
    final Cause next = causes.of(own, blocker);
    if (blocker != null) {
      request.waits().lastBlocker = blocker.id();
    }
    if (request.waits().shares || request.waits().cause().index() != next.index()) {
      leave(request, nowNs);
      request.waits().cause(next);
      countOwner(next, 1, nowNs);
      listener.onCauseChanged(request, nowNs);
    }
  }

  private void join(RequestTimeline request, long nowNs) {
    runClock(nowNs);
    sharers++;
    request.waits().shares = true;
    request.waits().cause(shared);
    request.waits().atJoinNs = sharedClockNs.clone();
  }

  /** Attributes its wait up to now, and removes it from the sharers. */
  private void leave(RequestTimeline request, long nowNs) {
    final RequestWaits waits = request.waits();
    if (waits.shares) {
      runClock(nowNs);
      sharers--;
      waits.shares = false;
      waits.cause(shared);
      for (int i = 0; i < sharedClockNs.length; i++) {
        final long before = i < waits.atJoinNs.length ? waits.atJoinNs[i] : 0;
        if (sharedClockNs[i] != before) {
          waits.book(i, sharedClockNs[i] - before);
        }
      }
      nameBlocker(request);
    } else {
      waits.book(waits.cause().index(), nowNs - waits.causeSinceNs);
      countOwner(waits.cause(), -1, nowNs);
    }
    waits.causeSinceNs = nowNs;
  }

  /**
   * Notes the request at the head of the queue while it waited; not itself, once it was the head.
   */
  private void nameBlocker(RequestTimeline request) {
    final RequestTimeline blocker = latestBlocker == request ? blockerBefore : latestBlocker;
    final long sinceNs = latestBlocker == request ? blockedBeforeNs : latestBlockedNs;
    if (blocker != null && sinceNs >= request.waits().causeSinceNs) {
      request.waits().lastBlocker = blocker.id();
    }
  }

  private void runClock(long nowNs) {
    final int index = shared.index();
    if (index >= sharedClockNs.length) {
      sharedClockNs = Arrays.copyOf(sharedClockNs, index + 8);
    }
    sharedClockNs[index] += nowNs - sharedSinceNs;
    if (sharers > 0 && nowNs != sharedSinceNs) {
      listener.onWaited(shared, sharedSinceNs, nowNs, sharers);
    }
    sharedSinceNs = nowNs;
  }

  /** Adds to the number of requests with an individual cause. */
  private void countOwner(Cause cause, int more, long nowNs) {
    final int index = cause.index();
    if (index >= owners.length) {
      owners = Arrays.copyOf(owners, index + 8);
      ownersSinceNs = Arrays.copyOf(ownersSinceNs, index + 8);
    }
    runOwnClock(index, nowNs);
    owners[index] += more;
  }

  private void runOwnClock(int index, long nowNs) {
    if (owners[index] > 0 && nowNs != ownersSinceNs[index]) {
      listener.onWaited(causes.all().get(index), ownersSinceNs[index], nowNs, owners[index]);
    }
    ownersSinceNs[index] = nowNs;
  }

  private Cause mainOf(long[] byCauseNs, Cause otherwise) {
    int main = -1;
    for (int i = 0; i < byCauseNs.length; i++) {
      if (byCauseNs[i] > 0 && (main < 0 || byCauseNs[i] > byCauseNs[main])) {
        main = i;
      }
    }
    return main < 0 ? otherwise : causes.all().get(main);
  }
}
