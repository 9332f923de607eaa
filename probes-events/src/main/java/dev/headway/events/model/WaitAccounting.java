package dev.headway.events.model;

import dev.headway.api.support.WaitClocks;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/*
 * The rule is that of WaitClocks; here are the causes, which are pairs of a reason and its root, and
 * the notifications. Requests whose individual reason changed since the previous plan are settled
 * when a plan is complete.
 *
 * The listener is notified per cause: the number of requests with that individual cause, and the
 * instant since which the number holds.
 */
/** Attributes every nanosecond of waiting to exactly one cause. */
final class WaitAccounting extends WaitClocks {

  private static final long[] NONE = {};

  private final RunTimeline run;
  private final WaitListener listener;
  private final Causes causes;
  private final List<RequestTimeline> dirty = new ArrayList<>();

  private @Nullable RequestTimeline latestBlocker;
  private long latestBlockedNs;
  private @Nullable RequestTimeline blockerBefore;
  private long blockedBeforeNs;
  private Cause sharedCause;
  private int[] owners = new int[8];
  private long[] ownersSinceNs = new long[8];

  WaitAccounting(RunTimeline run, WaitListener listener) {
    this(run, listener, new Causes());
  }

  private WaitAccounting(RunTimeline run, WaitListener listener, Causes causes) {
    super(causes.unknown.index());
    this.causes = causes;
    this.sharedCause = causes.unknown;
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
    begin(waits, waits.cause().index(), nowNs);
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
    final Cause next = causes.still(sharedCause, reason, sharedBlocker);
    if (next.index() != shared()) {
      share(next.index(), nowNs);
      sharedCause = next;
      if (sharers() > 0) {
        listener.onSharedCauseChanged(next, nowNs);
      }
    }
    for (RequestTimeline request : dirty) {
      request.waits().dirty = false;
      if (request.waits().isOpen()) {
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
    runShared(nowNs);
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
    return index == shared() ? own + sharers() : own;
  }

  /** A stay ends. */
  void end(RequestTimeline request, long nowNs) {
    final RequestWaits waits = request.waits();
    leave(request, nowNs);
    end(waits, nowNs);
    final long[] byCauseNs = take(waits, NONE);
    waits.closeStay(byCauseNs, nowNs - waits.stayFromNs);
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

  /** A request waits for an individual reason from now on, until the next plan at least. */
  void now(RequestTimeline request, String reason, long nowNs) {
    final RequestWaits waits = request.waits();
    if (waits.isOpen()) {
      own(request, causes.of(reason, null), nowNs);
    }
  }

  private void own(RequestTimeline request, Cause next, long nowNs) {
    final RequestWaits waits = request.waits();
    if (waits.sharesCause() || waits.cause().index() != next.index()) {
      leave(request, nowNs);
      own(waits, next.index(), nowNs);
      waits.cause(next);
      countOwner(next, 1, nowNs);
      listener.onCauseChanged(request, nowNs);
    }
  }

  private void settle(RequestTimeline request, long nowNs) {
    final RequestWaits waits = request.waits();
    final String own = request.ownReason();
    if (own == null) {
      if (!waits.sharesCause()) {
        leave(request, nowNs);
        share(waits, nowNs);
        waits.cause(sharedCause);
        listener.onCauseChanged(request, nowNs);
      }
      return;
    }
    final RequestTimeline blocker = request.ownBlocker();
    if (blocker != null) {
      waits.lastBlocker = blocker.id();
    }
    own(request, causes.of(own, blocker), nowNs);
  }

  /** Its cause is about to end: notes what is not about times. */
  private void leave(RequestTimeline request, long nowNs) {
    final RequestWaits waits = request.waits();
    if (waits.sharesCause()) {
      runShared(nowNs);
      nameBlocker(request);
      waits.cause(sharedCause);
    } else {
      countOwner(waits.cause(), -1, nowNs);
    }
  }

  @Override
  protected void onShared(long fromNs, long toNs, int requests) {
    listener.onWaited(sharedCause, fromNs, toNs, requests);
  }

  /**
   * Notes the request at the head of the queue while it waited; not itself, once it was the head.
   */
  private void nameBlocker(RequestTimeline request) {
    final RequestTimeline blocker = latestBlocker == request ? blockerBefore : latestBlocker;
    final long sinceNs = latestBlocker == request ? blockedBeforeNs : latestBlockedNs;
    if (blocker != null && sinceNs >= request.waits().causeSinceNs()) {
      request.waits().lastBlocker = blocker.id();
    }
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
