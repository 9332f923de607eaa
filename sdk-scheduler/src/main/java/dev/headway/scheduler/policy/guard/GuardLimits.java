package dev.headway.scheduler.policy.guard;

/**
 * How much is put up with before a policy is disabled for the rest of the run. One {@link Error} is
 * too much in any case.
 *
 * @param consecutiveFaults failures in a row of one decision, >= 1
 * @param stepBudgetNs most time a policy should take in a step, in ns; 0 for any
 * @param consecutiveOverruns steps in a row over that budget, >= 1
 */
public record GuardLimits(int consecutiveFaults, long stepBudgetNs, int consecutiveOverruns) {

  /** 16 failures, any time. */
  public static final GuardLimits DEFAULT = new GuardLimits(16, 0, 8);

  /** Validates the components. */
  public GuardLimits {
    if (consecutiveFaults < 1 || stepBudgetNs < 0 || consecutiveOverruns < 1) {
      throw new IllegalArgumentException(
          "guard limits must have consecutiveFaults >= 1, stepBudgetNs >= 0 and"
              + " consecutiveOverruns >= 1: consecutiveFaults="
              + consecutiveFaults
              + ", stepBudgetNs="
              + stepBudgetNs
              + ", consecutiveOverruns="
              + consecutiveOverruns);
    }
  }
}
