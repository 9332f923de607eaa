package dev.headway.api.policy;

/** How many tokens a step may schedule at most. */
public interface TokenBudget {

  /**
   * Returns the budget of the step, in [1, {@code maxNumScheduledTokens}]; called once per step,
   * before anything is scheduled. Every running request must be able to decode: a budget below the
   * number of running requests starves the last ones.
   */
  int tokens(StepView step);
}
