package dev.headway.scheduler.core;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.kvcache.Allocation;
import dev.headway.api.kvcache.connector.ExternalTokens;
import dev.headway.api.request.FinishReason;
import dev.headway.api.schedule.WaitReason;
import dev.headway.scheduler.state.RequestState;
import org.jspecify.annotations.Nullable;

/**
 * What the head of the queue has outside the engine: asks the KV connector, and begins loads that
 * go on between steps. Only there with a connector. Engine thread only.
 */
final class OutsideAdmission {

  private final SchedulerState state;
  private final KvExchange exchange;
  private final AdmissionBlocks blocks;
  private final Refusals refusals;
  private final Retirement retirement;
  private final Preemption preemption;

  OutsideAdmission(
      SchedulerState state,
      KvExchange exchange,
      AdmissionBlocks blocks,
      Refusals refusals,
      Retirement retirement,
      Preemption preemption) {
    this.state = state;
    this.exchange = exchange;
    this.blocks = blocks;
    this.refusals = refusals;
    this.retirement = retirement;
    this.preemption = preemption;
  }

  /** Asks about what is behind {@code local} tokens; returns null if the head may be admitted. */
  @Nullable AdmissionOutcome ask(PlanBuffer plan, RequestState head, int local) {
    if (head.computedTokens > 0) {
      return null;
    }
    final ExternalTokens.Kind answer = exchange.lookUp(head, local);
    if (answer == null) {
      return fail(plan, head);
    }
    return switch (answer) {
      case NONE, IN_STEP -> null;
      case UNDECIDED -> refusals.holdBack(head, WaitReason.KV_LOOKUP);
      case AHEAD -> load(plan, head, local);
    };
  }

  /** The connector has failed. */
  AdmissionOutcome fail(PlanBuffer plan, RequestState head) {
    retirement.retire(
        head, FinishReason.KV_LOAD_FAILED, ABSENT, exchange.desk.failure(), plan.beginNs());
    return AdmissionOutcome.GONE;
  }

  /** Tells the connector of an admission; returns whether it has not failed. */
  boolean isAdmitted(RequestState head) {
    return exchange.desk.admitted(head, KvExchange.externalTokens(head));
  }

  /** Begins a load between steps if there are blocks for it. */
  private AdmissionOutcome load(PlanBuffer plan, RequestState head, int local) {
    final int tokens = KvExchange.externalTokens(head);
    blocks.reserve(head, local, tokens);
    Allocation answer = blocks.load(exchange, head, tokens);
    while (blocks.areGivenBySessions(head, answer)) {
      answer = blocks.load(exchange, head, tokens);
    }
    while (areGivenByLoads(head, answer)) {
      answer = blocks.load(exchange, head, tokens);
    }
    if (!answer.isAllocated()) {
      return refusals.refuseAllocation(plan, head, answer);
    }
    state.counts.lookedUp(head, local);
    state.counts.askedOutside(head, local, tokens);
    if (!exchange.desk.admitted(head, tokens)) {
      return fail(plan, head);
    }
    exchange.loads.begin(head, KvExchange.of(head), local + tokens);
    return AdmissionOutcome.GONE;
  }

  /** Whether a request that was loaded and does not run has given up blocks that the head lacks. */
  boolean areGivenByLoads(RequestState head, Allocation answer) {
    return AdmissionBlocks.isShort(answer) && exchange.loads.giveBlocks(head, preemption);
  }
}
