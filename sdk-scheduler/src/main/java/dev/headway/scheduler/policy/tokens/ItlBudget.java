package dev.headway.scheduler.policy.tokens;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.policy.NeedsStepTime;
import dev.headway.api.policy.StepView;
import dev.headway.api.policy.TokenBudget;

/**
 * Gives prompts as many tokens as keep the step within a target for the time between two tokens
 * (ITL): the largest p in [minPrefill, maxNumScheduledTokens - decodes] with
 *
 * <pre>{@code
 * estimated time of a step of p prompt tokens and the decodes <= target
 * }</pre>
 *
 * <p>found by bisection, as estimates grow with p. Without decodes no token is delayed, and without
 * an estimate nothing is known: the whole budget then. {@code minPrefill} keeps prompts moving when
 * decodes alone miss the target. With draft tokens a decode is charged for them too.
 *
 * <p>Source: Sarathi-Serve (OSDI '24) fixes such a budget per deployment by profiling; here the
 * installed step-time model finds it in every step.
 */
public final class ItlBudget implements TokenBudget, NeedsStepTime {

  private final long targetNs;
  private final int minPrefillTokens;
  private final DecodeLoad decodes = new DecodeLoad();

  /**
   * Makes the policy.
   *
   * @param targetNs most a step with decodes should take, in nanoseconds, >= 1
   * @param minPrefillTokens tokens for prompts in any case, >= 1
   */
  public ItlBudget(long targetNs, int minPrefillTokens) {
    this.targetNs = targetNs;
    this.minPrefillTokens = minPrefillTokens;
  }

  @Override
  public int tokens(StepView step) {
    final int most = DecodeLoad.largestBudget(step.config());
    decodes.measure(step);
    if (decodes.seqs() == 0) {
      return most;
    }
    final int perDecode = 1 + step.config().speculation().numSpeculativeTokens();
    final long decodeTokens = (long) decodes.seqs() * perDecode;
    final int room = (int) Math.max(0, most - decodeTokens);
    final long budget = decodeTokens + Math.max(minPrefillTokens, largestPrefill(step, room));
    return (int) Math.min(most, Math.max(budget, step.runningCount()));
  }

  private int largestPrefill(StepView step, int room) {
    int fits = 0;
    int tooMany = room + 1;
    while (tooMany - fits > 1) {
      final int middle = (fits + tooMany) >>> 1;
      final long estimate = decodes.estimateNs(middle, step);
      if (estimate == ABSENT) {
        return room;
      }
      if (estimate <= targetNs) {
        fits = middle;
      } else {
        tooMany = middle;
      }
    }
    return fits;
  }
}
