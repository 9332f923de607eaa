package dev.headway.scheduler.core;

/**
 * Parts shared by the phases of a step besides the state; each owns one feature.
 *
 * @param budget what is left of the step
 * @param chunks limits of a request's tokens in a step
 * @param speculation draft tokens
 * @param ahead steps planned before outputs are known
 * @param progress counting planned tokens
 * @param throttle steps without prompts
 * @param preemption putting running requests back
 * @param retirement ending requests
 * @param policies decisions that can be replaced
 */
record StepParts(
    StepBudget budget,
    ChunkRule chunks,
    Speculation speculation,
    StepsAhead ahead,
    Progress progress,
    PrefillThrottle throttle,
    Preemption preemption,
    Retirement retirement,
    PolicyDesk policies) {

  static StepParts of(
      SchedulerState state, StepBudget budget, PolicyDesk policies, PrefillGate prefillGate) {
    final StepsAhead ahead = new StepsAhead(state.config.pipeline(), state.kv);
    return new StepParts(
        budget,
        new ChunkRule(state, policies),
        new Speculation(state.config.speculation()),
        ahead,
        new Progress(budget, ahead),
        new PrefillThrottle(prefillGate),
        new Preemption(state),
        new Retirement(state, policies),
        policies);
  }
}
