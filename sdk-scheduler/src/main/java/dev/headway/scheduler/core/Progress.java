package dev.headway.scheduler.core;

import dev.headway.api.step.EntryKind;
import dev.headway.scheduler.state.RequestState;
import org.jspecify.annotations.Nullable;

/**
 * Counts tokens as computed and charges them to the budget when they are planned, so that the next
 * plan starts behind them, and reverts both when a request is withdrawn from the plan.
 */
final class Progress {

  private final SchedulerState state;
  private final StepBudget budget;
  private final @Nullable StepsAhead ahead;
  private final @Nullable EncoderBudget encoder;
  private final @Nullable KvExchange exchange;

  Progress(SchedulerState state) {
    this.state = state;
    budget = state.budget;
    ahead = state.ahead;
    encoder = state.encoder;
    exchange = state.exchange;
  }

  /**
   * Adds a request to the plan.
   *
   * @param tokens tokens it gets, >= 1
   * @param drafts how many of its pending drafts are among them
   */
  void plan(PlanBuffer plan, RequestState request, EntryKind kind, int tokens, int drafts) {
    plan.add(request, kind, tokens, drafts);
    budget.charge(tokens);
    if (encoder != null) {
      encoder.scheduled(request);
    }
    request.pendingDrafts = 0;
    request.plannedTokens = tokens;
    request.lastStepId = plan.stepId();
    request.computedTokens += tokens;
    request.inFlightTokens += tokens;
    request.prefillChunk = request.computedTokens < request.knownTokens + request.placeholders;
    if (exchange != null) {
      exchange.prefills.planned(request, kind);
    }
    if (state.partials != null) {
      state.partials.planned(request);
    }
    if (ahead != null && !request.prefillChunk) {
      ahead.planned(request, drafts, plan.stepId());
    }
  }

  /** Withdraws a request that is about to be preempted from the plan, if it is in it. */
  void withdraw(PlanBuffer plan, RequestState request) {
    if (request.lastStepId != plan.stepId()) {
      return;
    }
    final int entry = plan.entryOf(request);
    final int tokens = plan.scheduledTokens(entry);
    request.lastStepId = plan.previousStepId(entry);
    request.plannedTokens = 0;
    request.computedTokens -= tokens;
    request.inFlightTokens -= tokens;
    plan.removeAt(entry);
    budget.refund(tokens);
    if (encoder != null) {
      encoder.withdrawn(plan, request);
    }
  }
}
