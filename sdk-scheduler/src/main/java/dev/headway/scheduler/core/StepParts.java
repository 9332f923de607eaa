package dev.headway.scheduler.core;

/**
 * What the phases of a step share beside the state: each part owns one feature.
 *
 * @param budget what is left of the step
 * @param chunks how large a share may be
 * @param speculation draft tokens
 * @param ahead steps planned before outputs are known
 * @param throttle steps without prompts
 * @param preemption putting running requests back
 * @param retirement ending requests
 */
record StepParts(
    StepBudget budget,
    ChunkRule chunks,
    Speculation speculation,
    StepsAhead ahead,
    PrefillThrottle throttle,
    Preemption preemption,
    Retirement retirement) {

  static StepParts of(SchedulerState state) {
    return new StepParts(
        new StepBudget(state.config.speculation().draftSlots()),
        new ChunkRule(state),
        new Speculation(state.config.speculation()),
        new StepsAhead(state.config.pipeline(), state.kv),
        new PrefillThrottle(),
        new Preemption(state),
        new Retirement(state));
  }
}
