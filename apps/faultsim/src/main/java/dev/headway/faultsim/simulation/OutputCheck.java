package dev.headway.faultsim.simulation;

import dev.headway.api.probe.StepCompletedEvent;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;

/**
 * Whether outputs are kept: also those that come when their request was preempted for blocks or for
 * a seat. Only a failure, and a reset of the cache, makes those void that were on their way.
 */
final class OutputCheck {

  private final RuleBook rules;
  private final RequestLedger ledger;
  private long latestStep;
  private long voidThrough;

  OutputCheck(RuleBook rules, RequestLedger ledger) {
    this.rules = rules;
    this.ledger = ledger;
  }

  void planned(StepPlan plan) {
    latestStep = plan.stepId();
  }

  /**
   * What is on its way to the request is dropped: after a reset it may be of another model, and
   * behind the end of a turn it belongs to none.
   */
  void evicted(TrackedRequest request) {
    request.voidThrough = latestStep;
  }

  /**
   * A step is over.
   *
   * @param isSound whether the executor has answered all of it, and nothing else
   */
  void completed(StepCompletedEvent event, boolean isSound) {
    if (!isSound || event.failure() != null) {
      voidThrough = latestStep;
      return;
    }
    final StepPlan plan = event.plan();
    final StepOutput output = event.output();
    for (int entry = 0; entry < plan.size(); entry++) {
      if (plan.samples(entry) && plan.producedTokens(entry) == 0 && output.tokenCount(entry) > 0) {
        checkDropped(plan, ledger.byNumber(plan.request(entry).number()));
      }
    }
  }

  private void checkDropped(StepPlan plan, TrackedRequest request) {
    if (request.finishedEvents == 0
        && plan.stepId() > voidThrough
        && plan.stepId() > request.voidThrough) {
      rules.violate(
          Rule.OUTPUTS_KEPT,
          "an output must be kept that nothing has made void: "
              + request
              + ", step="
              + plan.stepId());
    }
  }
}
