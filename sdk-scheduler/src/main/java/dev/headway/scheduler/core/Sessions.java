package dev.headway.scheduler.core;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.config.Compatibility;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.RequestStatus;
import dev.headway.api.request.SessionInput;
import dev.headway.api.schedule.PreemptionCause;
import dev.headway.api.schedule.WaitReason;
import dev.headway.scheduler.state.RequestState;
import dev.headway.scheduler.state.Session;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/*
 * A session that stops is held in the queue, with its blocks and, as in vLLM, a seat. Its next input is
 * put behind the tokens that are computed, so the last sampled token, which never was, is dropped; all of
 * that is the prompt of the next turn, which is admitted without a lookup.
 *
 * What vLLM leaves open, and what happens here unless its decisions are wanted:
 *   - a later input's maxTokens holds, not the first one's;
 *   - idle sessions can hold all blocks or seats: the one that has been idle for longest gives its own back
 *     to a request that lacks them, and is computed again with its next input;
 *   - an idle session keeps no output of the encoder from others: it needs none before its next turn;
 *   - an input that does not fit into the context ends the session;
 *   - a stop inside accepted drafts leaves more computed than known: what is behind the stop is not kept;
 *   - results that are out when a turn ends belong to no turn, and are dropped. vLLM delivers them, and
 *     loses the session if one of them stops it again; that is repaired in any case: it stays where it is.
 */

/** Requests that go on with further input. Only there once there was a session. */
final class Sessions {

  private final SchedulerState state;
  private final Preemption preemption;
  private final Retirement retirement;
  private final boolean likeVllm;

  /** Wait for input and hold a seat, the one that came first at the front. */
  private final Set<RequestState> idle = new LinkedHashSet<>();

  /** Have their next input, and hold blocks until they are admitted; latest first. */
  private final Deque<RequestState> returning = new ArrayDeque<>();

  private int waitingForInput;

  Sessions(SchedulerState state, Preemption preemption, Retirement retirement) {
    this.state = state;
    this.preemption = preemption;
    this.retirement = retirement;
    likeVllm = state.config.compatibility() == Compatibility.VLLM_0_28;
  }

  /** Seats of requests that do not run. */
  int seats() {
    return idle.size();
  }

  /** Sessions that wait for input. */
  int waitingForInput() {
    return waitingForInput;
  }

  /** Whether a session that does not run holds blocks. */
  boolean holdBlocks() {
    return !idle.isEmpty() || !returning.isEmpty();
  }

  /** Visits those that wait for input and hold a seat. */
  void forEachIdle(Consumer<RequestState> visitor) {
    idle.forEach(visitor);
  }

  /** Further input of a session. */
  void append(RequestState request, SessionInput input, long arrivalNs, long nowNs) {
    final Session session = sessionOf(request);
    if (request.status == RequestStatus.FINISHED || session.inputEnded) {
      return;
    }
    session.inputs.add(new Session.Pending(input, arrivalNs));
    if (session.idle && beginTurn(request, session, nowNs)) {
      state.waiting.release(request); // at its place
      state.waits.released(state.stepId, request, nowNs);
    }
  }

  /** A session gets no more input. */
  void endInput(RequestState request, long nowNs) {
    final Session session = sessionOf(request);
    if (request.status == RequestStatus.FINISHED || session.inputEnded) {
      return;
    }
    session.inputEnded = true;
    if (session.idle) {
      retirement.retire(request, session.lastReason, session.lastStopTokenId, null, nowNs);
    }
  }

  private static Session sessionOf(RequestState request) {
    if (request.session == null) {
      throw new IllegalArgumentException(
          "only a session gets further input: id=" + request.id() + "; build it resumable()");
    }
    return request.session;
  }

  /** A turn ended; returns whether the session goes on. */
  boolean goesOn(
      RequestState request, Session session, FinishReason reason, long stopTokenId, long nowNs) {
    final boolean isLast = session.inputEnded && session.inputs.isEmpty();
    if (isLast || reason == FinishReason.GRAMMAR_REFUSED) {
      return false;
    }
    if (request.status == RequestStatus.WAITING) {
      return true; // a result from before the latest turn ended: vLLM loses the session
    }
    session.turns++;
    session.lastReason = reason;
    session.lastStopTokenId = stopTokenId;
    leave(request);
    state.waits.heldAgain(state.stepId, request, WaitReason.STREAMING_INPUT, nowNs);
    request.listener().onTurnEnded(request, reason, stopTokenId, nowNs);
    if (session.inputs.isEmpty()) {
      rest(request, session);
    } else {
      state.waiting.add(request);
      if (beginTurn(request, session, nowNs)) {
        state.waits.released(state.stepId, request, nowNs);
      }
    }
    return true;
  }

  /** Leaves the running list, which its user clears of those that no longer run, or the queue. */
  private void leave(RequestState request) {
    if (request.status == RequestStatus.PREEMPTED) { // a result from before has stopped it
      state.waiting.remove(request);
    } else {
      request.status = RequestStatus.WAITING;
      if (request.adapterCount != null) {
        request.adapterCount.stopped();
      }
    }
    if (likeVllm) {
      return;
    }
    if (state.encoder != null) {
      state.encoder.release(request);
    }
    request.pendingDrafts = 0;
    request.placeholders = 0;
    request.staleTokens = request.inFlightTokens;
    request.voidTokens = request.inFlightTokens;
    if (request.computedTokens > request.knownTokens) {
      if (state.limits.keepsWholeContext) {
        request.computedTokens = request.knownTokens;
      } else { // a state, or a window, has moved on
        giveBack(request, PreemptionCause.SESSION, null);
      }
    }
  }

  private void rest(RequestState request, Session session) {
    session.idle = true;
    waitingForInput++;
    if (likeVllm || request.computedTokens > 0) {
      idle.add(request);
    }
    state.waiting.addHeld(request);
  }

  /**
   * Begins with the next input; returns false if that has ended the session instead, because it
   * does not fit into the context.
   */
  private boolean beginTurn(RequestState request, Session session, long nowNs) {
    ended(request);
    final Session.Pending next = session.inputs.remove();
    final SessionInput input = next.input();
    final int known = request.knownTokens;
    final int kept =
        request.computedTokens == 0 ? known - 1 : Math.min(request.computedTokens, known);
    final long length = (long) kept + input.tokens();
    if (!fits(length, input)) {
      retirement.retire(request, FinishReason.LENGTH, ABSENT, null, nowNs);
      return false;
    }
    final int[] prompt = new int[(int) length];
    request.copyTokenIds(0, prompt, 0, kept);
    input.copyTokenIds(prompt, kept);
    request.beginTurn(
        request.request().nextTurn(prompt, input),
        likeVllm ? request.maxTokens() : input.stopRule().maxTokens(),
        next.arrivalNs(),
        state.limits.maxModelLen);
    if (state.encoder != null && !input.items().isEmpty()) {
      state.encoder.extend(request);
    }
    if (request.computedTokens >= request.knownTokens) {
      request.computedTokens = kept; // vLLM fails an assertion
    }
    if (request.computedTokens > 0) {
      returning.addFirst(request);
    }
    return true;
  }

  private boolean fits(long length, SessionInput input) {
    final int longest = state.limits.maxModelLen;
    return likeVllm
        ? length <= longest
        : length < longest && length + input.stopRule().minTokens() <= longest;
  }

  /** A session is admitted, with the blocks that it has kept if it has. */
  void admitted(RequestState request, Session session) {
    session.goesOnInKeptBlocks =
        request.computedTokens > 0 && request.status != RequestStatus.PREEMPTED;
    ended(request);
  }

  /** A session runs again, or has ended. */
  void ended(RequestState request) {
    final Session session = request.session;
    if (session == null) {
      return;
    }
    if (session.idle) {
      session.idle = false;
      waitingForInput--;
      idle.remove(request);
    }
    returning.remove(request);
  }

  /**
   * Takes the seat of the session that has been idle for longest; returns whether there was one.
   */
  boolean giveSeat() {
    final RequestState first = likeVllm ? null : longestIdle();
    if (first == null) {
      return false;
    }
    giveBack(first, PreemptionCause.SESSION, null);
    return true;
  }

  /** As {@link #giveBlocks}, if all that sessions could give were enough. */
  boolean giveEnough(RequestState head, int needed) {
    if (likeVllm) {
      return false;
    }
    long most = state.kv.freeBlocks();
    for (RequestState request : idle) {
      most += request.kvBlocks();
    }
    for (RequestState request : returning) {
      most += request == head ? 0 : request.kvBlocks();
    }
    if (most >= needed || state.running.size() == 0) {
      return giveBlocks(head);
    }
    return false;
  }

  /**
   * Takes the blocks of a session that does not run, for a request that lacks some: of the one that
   * has been idle for longest, else of the one that came last of those to be admitted again, else
   * of the request itself if nothing runs. Returns whether there was one.
   */
  boolean giveBlocks(RequestState needy) {
    if (likeVllm) {
      return false;
    }
    RequestState giver = longestIdle();
    if (giver == null) {
      giver = latestReturning(needy);
    }
    if (giver == null) {
      return false;
    }
    giveBack(giver, PreemptionCause.SESSION, needy);
    return true;
  }

  /** Takes all blocks that sessions hold, so that the cache can be reset. */
  void giveAll() {
    if (likeVllm) {
      return;
    }
    while (!idle.isEmpty()) {
      giveBack(idle.iterator().next(), PreemptionCause.CACHE_RESET, null);
    }
    while (!returning.isEmpty()) {
      giveBack(returning.getFirst(), PreemptionCause.CACHE_RESET, null);
    }
  }

  /** One whose blocks can be used at once. */
  private @Nullable RequestState longestIdle() {
    final Iterator<RequestState> candidates = idle.iterator();
    while (candidates.hasNext()) {
      final RequestState next = candidates.next();
      if (next.inFlightTokens == 0) {
        return next;
      }
    }
    return null;
  }

  private @Nullable RequestState latestReturning(RequestState needy) {
    for (RequestState next : returning) {
      if (next != needy && next.inFlightTokens == 0) {
        return next;
      }
    }
    return state.running.size() == 0 && returning.contains(needy) ? needy : null;
  }

  /** It keeps its place in the queue, or gets one. */
  private void giveBack(
      RequestState request, PreemptionCause cause, @Nullable RequestState beneficiary) {
    idle.remove(request);
    returning.remove(request);
    preemption.giveBack(request, cause, beneficiary);
  }
}
