package dev.headway.faultsim.simulation;

import dev.headway.api.config.EngineLimits;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.probe.PlannedEvent;
import dev.headway.api.request.LoraAdapter;
import dev.headway.api.step.EndedRequests;
import dev.headway.api.step.StepPlan;

/** Whether plans are within the limits, and tell executors once who has gone. */
final class PlanCheck {

  private final RuleBook rules;
  private final SchedulerConfig config;
  private final RequestLedger ledger;
  private int mostTokens;
  private int mostRunning;

  /** Those that ran after the latest plan: a lower limit preempts none. */
  private int ran;

  /** Since the latest plan. */
  private int finished;

  private int preempted;

  PlanCheck(RuleBook rules, SchedulerConfig config, RequestLedger ledger) {
    this.rules = rules;
    this.config = config;
    this.ledger = ledger;
    limit(EngineLimits.of(config));
  }

  /** Other limits hold from the next plan on. */
  void limit(EngineLimits changed) {
    final SchedulerLimits limits = config.limits();
    mostTokens =
        changed.maxNumScheduledTokens() > 0
            ? changed.maxNumScheduledTokens()
            : limits.maxNumBatchedTokens();
    mostRunning = changed.maxNumActiveSeqs() > 0 ? changed.maxNumActiveSeqs() : limits.maxNumSeqs();
  }

  void finished() {
    finished++;
  }

  void preempted() {
    preempted++;
  }

  void planned(PlannedEvent event) {
    checkLimits(event.plan(), event.runningCount());
    ran = event.runningCount();
    checkGone(event.plan());
  }

  private void checkLimits(StepPlan plan, int running) {
    if (plan.totalTokens() > mostTokens
        || plan.size() > config.limits().maxNumSeqs()
        || running > Math.max(mostRunning, ran)) {
      rules.violate(
          Rule.LIMITS,
          "a plan must be within the limits: step="
              + plan.stepId()
              + ", tokens="
              + plan.totalTokens()
              + " of "
              + mostTokens
              + ", requests="
              + plan.size()
              + ", running="
              + running
              + " of "
              + mostRunning);
    }
    if (config.maxLoras() > 0 && adapters(plan) > config.maxLoras()) {
      rules.violate(
          Rule.LIMITS,
          "a plan must have no more adapters than maxLoras: step="
              + plan.stepId()
              + ", adapters="
              + adapters(plan)
              + ", maxLoras="
              + config.maxLoras());
    }
  }

  private static int adapters(StepPlan plan) {
    int used = 0;
    for (int entry = 0; entry < plan.size(); entry++) {
      final LoraAdapter adapter = plan.request(entry).request().lora();
      used |= adapter == null ? 0 : 1 << adapter.id();
    }
    return Integer.bitCount(used);
  }

  /** Executors drop state by these lists: too long a list is a leak, too short a one as well. */
  private void checkGone(StepPlan plan) {
    final EndedRequests ended = plan.finished();
    if (ended.size() != finished || plan.preempted().size() != preempted) {
      rules.violate(
          Rule.BOOKS,
          "a plan must name who has gone since the one before: step="
              + plan.stepId()
              + ", finished="
              + ended.size()
              + " of "
              + finished
              + ", preempted="
              + plan.preempted().size()
              + " of "
              + preempted);
    }
    finished = 0;
    preempted = 0;
    for (int i = 0; i < ended.size(); i++) {
      final TrackedRequest request = ledger.byNumber(ended.number(i));
      if (request.finishedEvents != 1 || request.toldFinished++ > 0) {
        rules.violate(
            Rule.BOOKS,
            "a plan must name a request as ended once, when it has: step="
                + plan.stepId()
                + ", "
                + request);
      }
    }
  }
}
