package dev.headway.scheduler.core;

import dev.headway.api.kvcache.KvSequence;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.RequestStatus;
import dev.headway.api.step.StepOutput;
import dev.headway.scheduler.state.RequestState;
import org.jspecify.annotations.Nullable;

/**
 * Takes over what the executor answered, entry by entry in the order of the plan. An answer that
 * cannot be true is refused before it touches any state and ends only its own request.
 */
final class OutputStage {

  private final SchedulerState state;
  private final Retirement retirement;
  private final StopCheck stopCheck;
  private final int vocabularySize;

  OutputStage(SchedulerState state, Retirement retirement, int vocabularySize) {
    this.state = state;
    this.retirement = retirement;
    this.stopCheck = new StopCheck(state.maxModelLen);
    this.vocabularySize = vocabularySize;
  }

  /** Applies a whole output. */
  void apply(PlanBuffer plan, StepOutput output, long nowNs) {
    boolean ended = false;
    for (int entry = 0; entry < plan.size(); entry++) {
      final RequestState request = plan.state(entry);
      if (request.status == RequestStatus.FINISHED || plan.isStale(entry)) {
        continue;
      }
      ended |= applyEntry(plan, entry, request, output, nowNs);
    }
    if (ended) {
      state.running.removeEnded();
    }
  }

  /** Ends every request of a plan whose step failed as a whole. */
  void failAll(PlanBuffer plan, Throwable cause, long nowNs) {
    for (int entry = 0; entry < plan.size(); entry++) {
      final RequestState request = plan.state(entry);
      if (request.status != RequestStatus.FINISHED && !plan.isStale(entry)) {
        fail(plan, entry, cause, nowNs);
      }
    }
    state.running.removeEnded();
  }

  private boolean applyEntry(
      PlanBuffer plan, int entry, RequestState request, StepOutput output, long nowNs) {
    final Throwable failure = output.failure(entry);
    if (failure != null) {
      failWithSharers(plan, entry, failure, nowNs);
      return true;
    }
    final String nonsense = findNonsense(plan, entry, request, output);
    if (nonsense != null) {
      failWithSharers(plan, entry, new IllegalStateException(nonsense), nowNs);
      return true;
    }
    return output.tokenCount(entry) > 0 && append(plan, entry, request, output, nowNs);
  }

  /** Appends tokens up to a stop; returns whether the request has ended. */
  private boolean append(
      PlanBuffer plan, int entry, RequestState request, StepOutput output, long nowNs) {
    final int count = output.tokenCount(entry);
    final boolean first = request.outputTokens() == 0;
    int appended = 0;
    int tokenId = 0;
    FinishReason reason = null;
    while (appended < count && reason == null) {
      tokenId = output.token(entry, appended);
      request.appendOutput(tokenId);
      appended++;
      reason = stopCheck.after(request, tokenId);
    }
    plan.setProduced(entry, appended);
    if (first) {
      state.probe.onFirstToken(plan.stepId(), request, nowNs);
    }
    request.listener().onTokens(request, appended, nowNs);
    if (reason == null || request.status == RequestStatus.FINISHED) {
      return request.status == RequestStatus.FINISHED;
    }
    final int stopTokenId = stopCheck.stopTokenId(request, reason, tokenId);
    retirement.retire(request, reason, stopTokenId, null, nowNs);
    return true;
  }

  private @Nullable String findNonsense(
      PlanBuffer plan, int entry, RequestState request, StepOutput output) {
    final int count = output.tokenCount(entry);
    final int expected = plan.samples(entry) ? 1 : 0;
    if (count != expected) {
      return "executor must answer "
          + expected
          + (plan.samples(entry) ? " token" : " tokens for a prefill chunk")
          + ": id="
          + request.id()
          + ", stepId="
          + plan.stepId()
          + ", tokens="
          + count;
    }
    for (int i = 0; i < count; i++) {
      final int tokenId = output.token(entry, i);
      if (tokenId < 0 || tokenId >= vocabularySize) {
        return "executor must answer token ids in [0, vocabularySize): id="
            + request.id()
            + ", stepId="
            + plan.stepId()
            + ", tokenId="
            + tokenId
            + ", vocabularySize="
            + vocabularySize;
      }
    }
    return null;
  }

  /*
   * A request admitted in the same step may share a block that the failed entry was to compute: what
   * it has sampled stands on sand, so it fails too. Such an entry stands behind the failed one.
   */
  private void failWithSharers(PlanBuffer plan, int failed, Throwable cause, long nowNs) {
    final int doubtful = plan.computedTokens(failed) / state.kv.shape().blockSize();
    final KvSequence blocks = plan.blocks(failed);
    if (doubtful < blocks.blockCount()) {
      final int block = blocks.blockId(doubtful);
      for (int entry = failed + 1; entry < plan.size(); entry++) {
        final boolean alive = plan.state(entry).status != RequestStatus.FINISHED;
        if (alive && holdsAt(plan.blocks(entry), doubtful, block)) {
          fail(plan, entry, cause, nowNs);
        }
      }
    }
    fail(plan, failed, cause, nowNs);
  }

  private static boolean holdsAt(KvSequence blocks, int index, int block) {
    return index < blocks.blockCount() && blocks.blockId(index) == block;
  }

  private void fail(PlanBuffer plan, int entry, Throwable cause, long nowNs) {
    final RequestState request = plan.state(entry);
    state.kv.forget(request.kv(), plan.computedTokens(entry)); // nobody may build on the rest
    retirement.retire(
        request, FinishReason.EXECUTOR_FAILED, Retirement.NO_STOP_TOKEN, cause, nowNs);
  }
}
