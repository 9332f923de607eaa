package dev.headway.scheduler.core;

import dev.headway.api.step.StepOutput;
import dev.headway.api.step.TransferReport;
import org.jspecify.annotations.Nullable;

/**
 * What the executor reports of loads and saves, with the results of a step or between two. What
 * rests on failed loads is taken back before the results. Engine thread only.
 */
final class LoadReports {

  private final SchedulerState state;
  private final KvExchange exchange;
  private final FailedLoads failedLoads;

  private LoadReports(SchedulerState state, KvExchange exchange, FailedLoads failedLoads) {
    this.state = state;
    this.exchange = exchange;
    this.failedLoads = failedLoads;
  }

  /** Returns null if there is no KV connector. */
  static @Nullable LoadReports of(
      SchedulerState state, Retirement retirement, Preemption preemption, StepsInFlight inFlight) {
    final KvExchange exchange = state.exchange;
    if (exchange == null) {
      return null;
    }
    final FailedLoads failedLoads =
        state.limits.finishesUnschedulable
            ? new UndoneLoads(state, exchange, retirement, preemption, inFlight)
            : new FailedLoadsLikeVllm(state, exchange, retirement);
    return new LoadReports(state, exchange, failedLoads);
  }

  /** Transfers have ended while no step is answered. */
  void betweenSteps(TransferReport report, long nowNs) {
    if (report.invalidCount() > 0) {
      failedLoads.found(null, report, nowNs);
      failedLoads.stepAnswered(nowNs);
    }
    exchange.transfersEnded(report, nowNs);
  }

  /** A step is answered; its results follow. */
  void beforeResults(PlanBuffer plan, StepOutput output, long nowNs) {
    if (!state.limits.finishesUnschedulable) {
      state.kv.acknowledge(plan.stepId()); // vLLM: before the results
    }
    if (output.hasTransfers() && output.transfers().invalidCount() > 0) {
      failedLoads.found(plan, output.transfers(), nowNs);
    }
  }

  /** The results of a step were taken over. */
  void behindResults(StepOutput output, long nowNs) {
    if (output.hasTransfers()) {
      failedLoads.stepAnswered(nowNs);
      exchange.transfersEnded(output.transfers(), nowNs);
    }
  }
}
