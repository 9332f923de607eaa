package dev.headway.scheduler.core;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.config.Compatibility;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.Grammar;
import dev.headway.api.request.RequestStatus;
import dev.headway.api.step.StepOutput;
import dev.headway.scheduler.state.RequestState;
import org.jspecify.annotations.Nullable;

/**
 * Processes the executor's answer, entry by entry in the order of the plan. An invalid answer is
 * refused before it changes any state and ends only its own request.
 */
final class OutputStage {

  private final SchedulerState state;
  private final SteadyDecodes steady;
  private final @Nullable Speculation speculation;
  private final @Nullable StepsAhead ahead;
  private final @Nullable EncoderBudget encoder;
  private final Retirement retirement;
  private final StepsInFlight inFlight;
  private final StopCheck stopCheck;
  private final AnswerCheck answerCheck;

  /** vLLM keeps them. */
  private final boolean dropsStaleDrafts;

  private final FailedDependents dependents = new FailedDependents();
  private int[] drafts = new int[8];

  OutputStage(
      SchedulerState state,
      Retirement retirement,
      StepsInFlight inFlight,
      SteadyDecodes steady,
      int vocabularySize) {
    this.state = state;
    this.steady = steady;
    this.retirement = retirement;
    this.speculation = state.speculation;
    this.ahead = state.ahead;
    this.encoder = state.encoder;
    this.inFlight = inFlight;
    this.stopCheck = new StopCheck(state.limits.maxModelLen);
    this.dropsStaleDrafts = state.config.compatibility() == Compatibility.HEADWAY;
    this.answerCheck = new AnswerCheck(vocabularySize);
  }

  /** Applies a whole output. */
  void apply(PlanBuffer plan, StepOutput output, long nowNs) {
    final boolean sound = !output.hasFailures();
    final boolean bare = !output.hasLogprobs();
    final boolean connects = state.exchange != null;
    boolean ended = false;
    for (int entry = 0; entry < plan.size(); entry++) {
      final RequestState request = plan.state(entry);
      if (request.status == RequestStatus.FINISHED) {
        ended |= failDependentsOfGone(plan, entry, failureOf(plan, entry, output), nowNs);
        continue;
      }
      if (sound
          && (bare || output.logprobs(entry, 0) == null)
          && (encoder == null || !EncoderBudget.needsItems(request))
          && (!connects || request.remote == null || !request.remote.skipsResult)
          && steady.append(plan, entry, request, output, nowNs)) {
        ended |= request.status == RequestStatus.FINISHED; // its listener may have ended it
      } else {
        ended |= applyEntry(plan, entry, request, output, nowNs);
      }
    }
    if (ended) {
      state.running.removeEnded();
    }
  }

  /** Ends every request of a plan whose step failed as a whole. */
  void failAll(PlanBuffer plan, Throwable cause, long nowNs) {
    for (int entry = 0; entry < plan.size(); entry++) {
      final RequestState request = plan.state(entry);
      if (request.status == RequestStatus.FINISHED) {
        failDependents(plan, entry, plan.size(), cause, nowNs);
      } else if (land(plan, entry, request) && !hasKept(request)) {
        request.voidTokens = request.staleTokens; // the outputs that follow are not the next ones
        failDependents(plan, entry, plan.size(), cause, nowNs);
      } else {
        failWithDependents(plan, entry, plan.size(), cause, nowNs);
      }
    }
    if (encoder != null) {
      encoder.failed(plan);
    }
    // blocks that the step was to load may be shared by requests that have no entry in it
    state.kv.stepFailed(plan.stepId(), null, dependents);
    failDependentsInLaterSteps(cause, nowNs);
    dependents.clear();
    state.running.removeEnded();
  }

  /** Subtracts an entry's tokens from those in flight; returns whether its result is stale. */
  private static boolean land(PlanBuffer plan, int entry, RequestState request) {
    final int tokens = plan.scheduledTokens(entry);
    request.inFlightTokens -= tokens;
    if (request.staleTokens == 0) {
      return false;
    }
    request.staleTokens -= tokens;
    request.voidTokens -= Math.min(tokens, request.voidTokens);
    return true;
  }

  private boolean applyEntry(
      PlanBuffer plan, int entry, RequestState request, StepOutput output, long nowNs) {
    final boolean isVoid = request.voidTokens > 0;
    final boolean stale = land(plan, entry, request);
    final Throwable failure = failureOf(plan, entry, output);
    if (failure != null && hasKept(request)) {
      failWithDependents(plan, entry, entry + 1, failure, nowNs);
      return true;
    }
    if (isVoid) {
      return failDependentsOfGone(plan, entry, failure, nowNs);
    }
    if (failure == null && request.remote != null && request.remote.skipsResult) {
      return false;
    }
    if (failure != null) {
      failWithDependents(plan, entry, entry + 1, failure, nowNs);
      return true;
    }
    final int tokens = output.tokenCount(entry);
    if (tokens > 0 && speculation != null && plan.draftTokens(entry) > 0) {
      final int rejected =
          speculation.verified(plan.draftTokens(entry), plan.paddedDrafts(entry), tokens);
      if (!stale && rejected > 0) {
        takeBack(request, rejected);
      }
    }
    if (encoder != null) {
      encoder.answered(request);
    }
    return tokens > 0 && append(plan, entry, request, output, stale, nowNs);
  }

  /** The failure reported by the executor, or the error in its answer; null if there is none. */
  private @Nullable Throwable failureOf(PlanBuffer plan, int entry, StepOutput output) {
    final Throwable failure = output.hasFailures() ? output.failure(entry) : null;
    if (failure != null) {
      return failure;
    }
    final String fault = answerCheck.findFault(plan, entry, output);
    return fault == null ? null : new IllegalStateException(fault);
  }

  private void takeBack(RequestState request, int rejected) {
    if (request.computedTokens > 0) {
      request.computedTokens -= rejected;
      if (ahead != null) {
        ahead.rejected(request, rejected);
      }
    }
  }

  /** Appends tokens up to a stop; returns whether the request has ended. */
  private boolean append(
      PlanBuffer plan,
      int entry,
      RequestState request,
      StepOutput output,
      boolean stale,
      long nowNs) {
    final int count = output.tokenCount(entry);
    final boolean first =
        request.outputCount() == 0 && (request.session == null || request.session.turns == 0);
    int appended = 0;
    int tokenId = 0;
    FinishReason reason = null;
    while (appended < count && reason == null) {
      tokenId = output.token(entry, appended);
      request.appendOutput(tokenId);
      appended++;
      reason = stopCheck.after(request, tokenId);
    }
    if (ahead != null && !stale) {
      ahead.appended(request, appended);
    }
    final Grammar grammar = request.grammar;
    if (grammar != null && !Grammars.advance(request, grammar, appended)) {
      reason = FinishReason.GRAMMAR_REFUSED;
    }
    plan.setProduced(entry, appended);
    if (first) {
      state.events.firstToken(plan.stepId(), request, nowNs);
    }
    if (output.hasLogprobs()) {
      request.listener().onTokens(request, appended, output, entry, nowNs);
    } else {
      request.listener().onTokens(request, appended, nowNs);
    }
    if (reason == null || request.status == RequestStatus.FINISHED) {
      return request.status == RequestStatus.FINISHED;
    }
    final long stopTokenId = stopCheck.stopTokenId(request, reason, tokenId);
    if (goesOn(request, reason, stopTokenId, nowNs)) {
      return true; // not running
    }
    retirement.retire(request, reason, stopTokenId, null, nowNs);
    return true;
  }

  /** Whether it is a session that has more turns. */
  private boolean goesOn(RequestState request, FinishReason reason, long stopTokenId, long nowNs) {
    return request.session != null
        && state.sessions != null
        && state.sessions.goesOn(request, request.session, reason, stopTokenId, nowNs);
  }

  /** Whether it is a session that keeps what a step has computed although its result is dropped. */
  private static boolean hasKept(RequestState request) {
    return request.session != null && request.computedTokens > 0;
  }

  /**
   * Stores the drafts that came with an output; with steps ahead of outputs, drafts stay on the
   * device. Drafts behind a token that was discarded are drafts of nothing.
   */
  void takeDrafts(PlanBuffer plan, StepOutput output) {
    if (speculation == null || ahead != null) {
      return;
    }
    for (int entry = 0; entry < plan.size(); entry++) {
      final int count = output.draftCount(entry);
      final RequestState request = plan.state(entry);
      final boolean isDiscarded =
          dropsStaleDrafts && plan.samples(entry) && plan.producedTokens(entry) == 0;
      if (count > 0 && !isDiscarded && request.status != RequestStatus.FINISHED) {
        if (drafts.length < count) {
          drafts = new int[count];
        }
        for (int i = 0; i < count; i++) {
          drafts[i] = output.draft(entry, i);
        }
        speculation.propose(request, drafts, count);
      }
    }
  }

  /*
   * A request admitted in the same step or a later one may have hit blocks that the failed entry
   * was to compute: its sampled tokens depend on KV that was never computed, so it fails too. In
   * the same step such an entry comes after the failed one; of a step that failed as a whole every
   * entry fails.
   */
  private void failWithDependents(
      PlanBuffer plan, int failed, int behind, Throwable cause, long nowNs) {
    failDependents(plan, failed, behind, cause, nowNs);
    if (plan.state(failed).status != RequestStatus.FINISHED) { // admitted again, on its own blocks
      fail(plan, failed, cause, nowNs);
    }
  }

  private void failDependents(
      PlanBuffer plan, int failed, int behind, Throwable cause, long nowNs) {
    if (encoder != null) {
      encoder.failed(plan, plan.state(failed));
    }
    if (state.exchange != null) {
      state.exchange.entryFailed(plan.state(failed), sureTokens(plan, failed));
    }
    state.kv.stepFailed(plan.stepId(), plan.state(failed).kv(), dependents);
    failDependentsIn(plan, behind, cause, nowNs);
    failDependentsInLaterSteps(cause, nowNs);
    dependents.clear();
  }

  private void failDependentsInLaterSteps(Throwable cause, long nowNs) {
    if (state.exchange != null) {
      state.exchange.failDependents(dependents, retirement, cause, nowNs);
    }
    for (int later = 1; later < inFlight.count(); later++) {
      failDependentsIn(inFlight.get(later), 0, cause, nowNs);
    }
  }

  private void failDependentsIn(PlanBuffer plan, int from, Throwable cause, long nowNs) {
    for (int entry = from; entry < plan.size(); entry++) {
      final RequestState request = plan.state(entry);
      discardStale(request);
      if (request.status != RequestStatus.FINISHED && dependents.contains(request.kv())) {
        fail(plan, entry, cause, nowNs);
      }
    }
  }

  /**
   * An entry failed whose request no longer waits for it; others may share the blocks it was to
   * write.
   */
  private boolean failDependentsOfGone(
      PlanBuffer plan, int gone, @Nullable Throwable failure, long nowNs) {
    if (failure == null) {
      return false;
    }
    failDependents(plan, gone, gone + 1, failure, nowNs);
    return true;
  }

  /**
   * The record of what it shared when it ran is gone: its outstanding results may depend on the
   * failed KV.
   */
  private static void discardStale(RequestState request) {
    request.voidTokens = request.staleTokens;
  }

  private void fail(PlanBuffer plan, int entry, Throwable cause, long nowNs) {
    final RequestState request = plan.state(entry);
    final int sure = sureTokens(plan, entry);
    retirement.retire(request, sure, FinishReason.EXECUTOR_FAILED, ABSENT, cause, nowNs);
  }

  /** Without those that the step was to load or compute, which must not be shared. */
  private static int sureTokens(PlanBuffer plan, int entry) {
    return plan.computedTokens(entry) - plan.externalTokens(entry);
  }
}
