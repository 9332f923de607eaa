package dev.headway.probes.csv.track;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/*
 * Who waits for what, without looking at every waiting request in every step.
 *
 * A waiting request has a reason of its own, or the one that all others share. The shared one has a
 * clock per cause that runs while somebody shares it; a request remembers the clocks when it joins,
 * and the difference when it leaves is what it waited for each. Requests whose own reason changed
 * since the plan before are settled when a plan is complete, as the CSV projection does.
 */
/** Books every nanosecond of waiting to exactly one cause. */
final class WaitBook {

  private final TrackListener listener;
  private final Causes causes;
  private final List<TrackedRequest> dirty = new ArrayList<>();

  private @Nullable String sharedReason;
  private @Nullable TrackedRequest sharedBlocker;
  private @Nullable TrackedRequest latestBlocker;
  private long latestBlockedNs;
  private @Nullable TrackedRequest blockerBefore;
  private long blockedBeforeNs;
  private Cause shared;
  private long[] sharedClockNs = new long[8];
  private long sharedSinceNs;
  private int sharers;

  WaitBook(TrackListener listener, Causes causes) {
    this.listener = listener;
    this.causes = causes;
    this.shared = causes.unknown;
  }

  /** A stay in the queue begins. */
  void begin(TrackedRequest request, Cause first, long nowNs) {
    final TrackedRequest.WaitState waits = request.waits;
    waits.open = true;
    waits.stayFromNs = nowNs;
    waits.causeSinceNs = nowNs;
    waits.cause(first);
    waits.afterPreemption = request.preemptions() > 0;
    waits.lastBlocker = null;
    touch(request);
  }

  /** Its own reason may have changed: the next plan settles that. */
  void touch(TrackedRequest request) {
    if (!request.waits.dirty) {
      request.waits.dirty = true;
      dirty.add(request);
    }
  }

  /** The shared reason from the plan on that is being taken. */
  void close(String reason, @Nullable TrackedRequest blocker) {
    sharedReason = reason;
    sharedBlocker = blocker;
  }

  /** A plan is complete: everybody who waits has a settled cause from now on. */
  void settle(long nowNs) {
    final String reason = sharedReason;
    final Cause next = reason == null ? causes.unknown : causes.of(reason, sharedBlocker);
    if (next.index() != shared.index()) {
      runClock(nowNs);
      shared = next;
      if (sharers > 0) {
        listener.sharedCauseChanged(next, nowNs);
      }
    }
    for (TrackedRequest request : dirty) {
      request.waits.dirty = false;
      if (request.waits.open) {
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

  /** A stay ends. */
  Stay end(TrackedRequest request, long nowNs) {
    final TrackedRequest.WaitState waits = request.waits;
    leave(request, nowNs);
    final long[] byCauseNs = waits.closeStay(nowNs - waits.stayFromNs);
    return new Stay(
        request,
        waits.stayFromNs,
        nowNs,
        new CauseTimes(byCauseNs),
        mainOf(byCauseNs, waits.cause()),
        waits.lastBlocker,
        waits.afterPreemption);
  }

  private void settle(TrackedRequest request, long nowNs) {
    final String own = request.ownReason();
    if (own == null) {
      if (!request.waits.shares) {
        leave(request, nowNs);
        join(request, nowNs);
        listener.causeChanged(request, nowNs);
      }
      return;
    }
    final TrackedRequest blocker = request.ownBlocker();
    final Cause next = causes.of(own, blocker);
    if (blocker != null) {
      request.waits.lastBlocker = blocker.id();
    }
    if (request.waits.shares || request.waits.cause().index() != next.index()) {
      leave(request, nowNs);
      request.waits.cause(next);
      listener.causeChanged(request, nowNs);
    }
  }

  private void join(TrackedRequest request, long nowNs) {
    runClock(nowNs);
    sharers++;
    request.waits.shares = true;
    request.waits.cause(shared);
    request.waits.atJoinNs = sharedClockNs.clone();
  }

  /** Books what it waited for up to now, and takes it out of the sharers. */
  private void leave(TrackedRequest request, long nowNs) {
    final TrackedRequest.WaitState waits = request.waits;
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
      listener.waited(waits.cause(), waits.causeSinceNs, nowNs, 1);
    }
    waits.causeSinceNs = nowNs;
  }

  /** Notes who stood in front while it waited; itself, once it was in front, does not count. */
  private void nameBlocker(TrackedRequest request) {
    final TrackedRequest blocker = latestBlocker == request ? blockerBefore : latestBlocker;
    final long sinceNs = latestBlocker == request ? blockedBeforeNs : latestBlockedNs;
    if (blocker != null && sinceNs >= request.waits.causeSinceNs) {
      request.waits.lastBlocker = blocker.id();
    }
  }

  private void runClock(long nowNs) {
    final int index = shared.index();
    if (index >= sharedClockNs.length) {
      sharedClockNs = Arrays.copyOf(sharedClockNs, index + 8);
    }
    sharedClockNs[index] += nowNs - sharedSinceNs;
    if (sharers > 0 && nowNs != sharedSinceNs) {
      listener.waited(shared, sharedSinceNs, nowNs, sharers);
    }
    sharedSinceNs = nowNs;
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
