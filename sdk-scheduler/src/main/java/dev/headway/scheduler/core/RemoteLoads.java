package dev.headway.scheduler.core;

import dev.headway.api.request.RequestStatus;
import dev.headway.api.schedule.PreemptionCause;
import dev.headway.api.schedule.WaitReason;
import dev.headway.scheduler.state.RemoteKv;
import dev.headway.scheduler.state.RemoteKv.Load;
import dev.headway.scheduler.state.RequestState;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/*
 * A request that is loaded between steps has its blocks and waits, held from outside: no step looks at
 * it. Once its load is reported it is given back to its place in the queue, and goes on from there
 * without a lookup when admissions reach it. It needs no seat and no budget meanwhile.
 *
 * Loaded requests hold blocks without running. With vLLM those that are in each other's way wait for ever;
 * here, when nothing else runs that could free some, the one that was loaded last gives its blocks to the
 * request that lacks them, and is looked up again.
 */

/** Loads between steps. Engine thread only. */
final class RemoteLoads {

  private final SchedulerState state;
  private final PrefillReserve prefills;

  /** Loads that are out, by number. */
  private final Map<Long, RequestState> out = new LinkedHashMap<>();

  /** Loaded and not admitted since, latest first. */
  private final Deque<RequestState> loaded = new ArrayDeque<>();

  RemoteLoads(SchedulerState state, PrefillReserve prefills) {
    this.state = state;
    this.prefills = prefills;
  }

  /**
   * The head of the queue got the blocks for its load, which begins.
   *
   * @param tokens tokens that are there once it is loaded
   */
  void begin(RequestState head, RemoteKv remote, int tokens) {
    remote.load = Load.OUT;
    remote.loadFailed = false;
    remote.localTokens = tokens - remote.tokens;
    head.computedTokens = tokens;
    out.put(head.number(), head);
    prefills.enter(head, remote);
    state.waits.holdBack(state.stepId, head, WaitReason.REMOTE_KV);
    state.waiting.hold(head);
  }

  /** A load has ended; returns whether it was out. */
  boolean received(long number, long nowNs) {
    final RequestState request = out.remove(number);
    if (request == null || request.remote == null) {
      return false;
    }
    request.remote.load = Load.RECEIVED;
    loaded.addFirst(request);
    state.waiting.release(request);
    state.waits.released(state.stepId, request, nowNs);
    return true;
  }

  /** Admissions have reached a request: if its load has ended, it goes on behind it. */
  void reached(RequestState head) {
    final RemoteKv remote = head.remote;
    if (remote == null || remote.load != Load.RECEIVED) {
      return;
    }
    remote.load = Load.NONE;
    final int present = head.computedTokens;
    if (!remote.loadFailed) { // the last token is computed, to sample from it
      head.computedTokens = Math.min(present, head.knownTokens - 1);
    }
    // what is computed once more is findable with its step, which may fail; vLLM has it found now
    state.kv.commit(head.kv(), state.limits.finishesUnschedulable ? head.computedTokens : present);
    remote.loadFailed = false;
    if (head.computedTokens == 0) {
      lookUpAgain(head, remote);
    }
  }

  private void lookUpAgain(RequestState head, RemoteKv remote) {
    state.kv.release(head.kv(), Integer.MAX_VALUE, state.fenceOf(head));
    loaded.remove(head);
    if (state.limits.finishesUnschedulable) {
      prefills.leave(head);
    } else {
      prefills.enter(head, remote); // vLLM has it in its own way
    }
  }

  /** A request was admitted, or has ended, or has lost its blocks. */
  void forget(RequestState request) {
    if (request.remote != null) {
      out.remove(request.number());
      loaded.remove(request);
      prefills.leave(request);
    }
  }

  /** A request runs; returns how many of its tokens were loaded between steps for it. */
  int admitted(RequestState request) {
    final RemoteKv remote = request.remote;
    return remote != null && !loaded.isEmpty() && loaded.remove(request)
        ? Math.max(0, request.computedTokens - remote.localTokens)
        : 0;
  }

  /** Whether requests that do not run hold blocks. */
  boolean holdBlocks() {
    return !out.isEmpty() || !loaded.isEmpty();
  }

  /** Whether this is so of any whose load is out, or that was loaded since and not admitted. */
  boolean any(Predicate<? super RequestState> condition) {
    return isOfAny(out.values(), condition) || isOfAny(loaded, condition);
  }

  private static boolean isOfAny(
      Collection<RequestState> requests, Predicate<? super RequestState> condition) {
    for (RequestState request : requests) {
      if (condition.test(request)) {
        return true;
      }
    }
    return false;
  }

  /** Visits those whose load is out, and those loaded since and not admitted. */
  void forEach(Consumer<? super RequestState> visitor) {
    out.values().forEach(visitor);
    loaded.forEach(visitor);
  }

  /**
   * While nothing else runs, takes the blocks of the request that was loaded last, for one that
   * lacks some: of another, else its own. Returns whether there was one.
   */
  boolean giveBlocks(RequestState needy, Preemption preemption) {
    final RequestState giver = latestLoaded(needy);
    if (giver == null) {
      return false;
    }
    giveBack(giver, PreemptionCause.KV_LOADED, needy, preemption);
    KvExchange.of(giver).asksNoMore = true;
    return true;
  }

  /** Takes the blocks of all that are loaded, so that the cache can be reset. */
  void giveAll(Preemption preemption) {
    while (!loaded.isEmpty()) {
      giveBack(loaded.getFirst(), PreemptionCause.CACHE_RESET, null, preemption);
    }
  }

  /** Takes the blocks of a request that is loaded. */
  void giveBack(
      RequestState giver,
      PreemptionCause cause,
      @Nullable RequestState needy,
      Preemption preemption) {
    forget(giver);
    if (giver.remote != null) {
      giver.remote.load = Load.NONE;
      giver.remote.loadFailed = false;
    }
    preemption.giveBack(giver, cause, needy);
  }

  private @Nullable RequestState latestLoaded(RequestState needy) {
    final int others = state.running.size() - (needy.status == RequestStatus.RUNNING ? 1 : 0);
    if (others > 0 || !state.limits.finishesUnschedulable) {
      return null;
    }
    final Iterator<RequestState> candidates = loaded.iterator();
    while (candidates.hasNext()) {
      final RequestState next = candidates.next();
      if (next != needy) {
        return next;
      }
    }
    return loaded.contains(needy) ? needy : null;
  }
}
