package dev.headway.scheduler.policy.capacity;

import dev.headway.api.policy.CapacityPolicy;
import dev.headway.api.policy.StepView;
import dev.headway.api.request.RequestView;

/**
 * Keeps blocks for a share of the outputs that running requests may still have. The share sinks
 * from step to step, as most requests end early, and rises after a preemption:
 *
 * <pre>{@code
 * keep   = blocks(sum over running of (prompt left + ratio * left) + candidate's prompt left + left)
 * left   = min(maxTokens - outputs, clip)
 * ratio := max(floor, ratio - (init - floor) / decaySteps)              each step
 * ratio := max(ratio, min(1, (outputs + 20 n) / (maxTokens + 1)))       on a preemption,
 *          summed over the n requests that go on
 * ratio := init                                                         when no request runs
 * }</pre>
 *
 * <p>Source: SGLang {@code NewTokenRatioTracker} and {@code PrefillAdder}: init 0.7, floor 0.14 *
 * init, 600 steps, 20 decode steps, clip 4096. Differences: SGLang sets the ratio on a preemption
 * even if that lowers it, and counts requests admitted in the same step without the ratio.
 */
public final class NewTokenRatio implements CapacityPolicy {

  private static final int RETRACT_DECODE_STEPS = 20;

  private final double init;
  private final double floor;
  private final double decay;
  private final int clip;
  private double ratio;

  /**
   * Makes the policy.
   *
   * @param init the share to begin with, in [0, 1]
   * @param floor the least share, in [0, init]
   * @param decaySteps steps from {@code init} to {@code floor}, >= 1
   * @param clip most outputs of a request that are counted, >= 1
   */
  public NewTokenRatio(double init, double floor, int decaySteps, int clip) {
    this.init = init;
    this.floor = floor;
    this.decay = (init - floor) / decaySteps;
    this.clip = clip;
    ratio = init;
  }

  /** The share of the outputs to come that is kept free now. */
  public double ratio() {
    return ratio;
  }

  @Override
  public void onStep(StepView step) {
    ratio = step.runningCount() == 0 ? init : Math.max(floor, ratio - decay);
  }

  @Override
  public int blocksToKeepFree(
      RequestView candidate, int cachedTokens, int newTokens, StepView step) {
    double tokens = candidate.knownTokens() - cachedTokens - newTokens + outputsLeft(candidate);
    for (int index = 0; index < step.runningCount(); index++) {
      final RequestView running = step.running(index);
      final int scheduled = running.computedTokens();
      tokens += Math.max(0, running.knownTokens() - scheduled) + ratio * outputsLeft(running);
    }
    return (int) Math.min(Math.ceil(Math.max(0, tokens) / step.blockSize()), Integer.MAX_VALUE);
  }

  private int outputsLeft(RequestView request) {
    final int left = request.request().stopRule().maxTokens() - request.outputTokens();
    return Math.max(0, Math.min(left, clip));
  }

  @Override
  public void onPreempted(RequestView victim, StepView step) {
    long outputs = 0;
    long maxTokens = 1;
    for (int index = 0; index < step.runningCount(); index++) {
      final RequestView running = step.running(index);
      if (running.number() != victim.number()) {
        outputs += running.outputTokens() + RETRACT_DECODE_STEPS;
        maxTokens += running.request().stopRule().maxTokens();
      }
    }
    ratio = Math.max(ratio, Math.min(1, (double) outputs / maxTokens));
  }
}
