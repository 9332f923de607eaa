package dev.headway.scheduler.core;

import dev.headway.api.request.FinishReason;
import dev.headway.api.request.RequestStatus;
import dev.headway.scheduler.state.RequestState;
import org.jspecify.annotations.Nullable;

/** Ends requests; the single code path for every finish reason. */
final class Retirement {

  private final SchedulerState state;
  private final @Nullable PolicyDesk policies;

  Retirement(SchedulerState state, @Nullable PolicyDesk policies) {
    this.state = state;
    this.policies = policies;
  }

  /**
   * Ends a request. Its blocks are released; the caller takes it out of the running list, the
   * waiting queue is taken care of here.
   */
  void retire(
      RequestState request,
      FinishReason reason,
      long stopTokenId,
      @Nullable Throwable cause,
      long nowNs) {
    // all that was written stays findable: rejected drafts lower computedTokens below what was
    // computed
    retire(request, Integer.MAX_VALUE, reason, stopTokenId, cause, nowNs);
  }

  /** As the other, when only the first {@code computedTokens} tokens are sure to be computed. */
  void retire(
      RequestState request,
      int computedTokens,
      FinishReason reason,
      long stopTokenId,
      @Nullable Throwable cause,
      long nowNs) {
    if (state.sessions != null) {
      state.sessions.ended(request);
    }
    if (request.status != RequestStatus.RUNNING) {
      state.waiting.remove(request);
    }
    if (request.status == RequestStatus.PREEMPTED) {
      state.preemptedWaiting--;
    }
    if (state.partials != null) {
      state.partials.left(request);
    }
    if (request.adapterCount != null) {
      state.adapters.ended(request, request.adapterCount);
    }
    request.status = RequestStatus.FINISHED;
    final long[] waitedNs = state.waits.ended(request, nowNs);
    final int freed = free(request, computedTokens, reason);
    if (state.encoder != null) {
      state.encoder.close(request);
    }
    state.counts.finished++;
    state.finishedSince().add(request);
    if (policies != null) {
      policies.finished(request);
    }
    state.events.finished(state.stepId, request, reason, stopTokenId, cause, freed, nowNs);
    request.listener().onWaitTimes(request, waitedNs);
    request.listener().onFinished(request, reason, stopTokenId, cause, nowNs);
  }

  private int free(RequestState request, int computedTokens, FinishReason reason) {
    if (state.exchange != null) {
      return state.exchange.ended(request, computedTokens, reason);
    }
    final int freed = state.kv.release(request.kv(), computedTokens, state.fenceOf(request));
    state.kv.close(request.kv());
    return freed;
  }
}
