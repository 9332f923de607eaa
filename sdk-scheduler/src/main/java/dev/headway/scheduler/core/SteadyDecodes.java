package dev.headway.scheduler.core;

import dev.headway.api.step.StepOutput;
import dev.headway.scheduler.queue.RunningList;
import dev.headway.scheduler.state.RequestState;

/**
 * Fast path for decode entries that need no scheduling decision: they compute their newest token,
 * their last block has room, only their length can end them, and that limit is not near. Most
 * entries of most steps are of this kind, so both halves of a step process them in a tight loop;
 * all others go through {@link RunningPhase} and {@link OutputStage}, which would have the same
 * result.
 */
final class SteadyDecodes {

  private final SchedulerState state;
  private final StepBudget budget;
  private final int lookahead;
  private final int longest;
  private final int vocabularySize;

  SteadyDecodes(SchedulerState state, int vocabularySize) {
    this.state = state;
    this.budget = state.budget;
    this.lookahead = state.limits.lookaheadTokens;
    this.longest = state.limits.maxModelLen - 1;
    this.vocabularySize = vocabularySize;
  }

  /**
   * Plans the running requests from {@code from} on, up to the first that needs a decision.
   *
   * @return index of that one
   */
  int plan(PlanBuffer plan, int from) {
    if (state.ahead != null) {
      return from; // every decode leaves a placeholder
    }
    final RunningList running = state.running;
    final long stepId = plan.stepId();
    final int end = from + Math.min(running.size() - from, budget.entriesOfOneToken());
    int at = from;
    while (at < end) {
      final RequestState request = running.get(at);
      if (!isSteady(request)) {
        break;
      }
      plan.addDecode(request);
      request.plannedTokens = 1;
      request.lastStepId = stepId;
      request.computedTokens++;
      request.inFlightTokens++;
      at++;
    }
    budget.chargeEach(1, at - from);
    return at;
  }

  private boolean isSteady(RequestState request) {
    final int computed = request.computedTokens + 1;
    return computed == request.knownTokens
        && computed + lookahead <= request.allocatedThrough
        && computed <= longest
        && (request.pendingDrafts | request.placeholders) == 0
        && !request.prefillChunk
        && request.outputCount() > 0;
  }

  /**
   * Processes the answer for a running request if it is one plain token.
   *
   * @return whether it was
   */
  boolean append(PlanBuffer plan, int entry, RequestState request, StepOutput output, long nowNs) {
    if (!plan.isSingleToken(entry) || output.tokenCount(entry) != 1) {
      return false;
    }
    final int tokenId = output.token(entry, 0);
    if (Integer.compareUnsigned(tokenId, vocabularySize) >= 0 || !goesOnAnyhow(request)) {
      return false;
    }
    request.inFlightTokens--;
    request.appendOutput(tokenId);
    plan.setProduced(entry, 1);
    request.listener().onTokens(request, 1, nowNs);
    return true;
  }

  private static boolean goesOnAnyhow(RequestState request) {
    return request.knownTokens + 1 < request.plainUntilTokens
        && (request.staleTokens | request.placeholders) == 0
        && request.outputCount() > 0;
  }
}
