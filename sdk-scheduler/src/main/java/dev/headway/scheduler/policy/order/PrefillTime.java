package dev.headway.scheduler.policy.order;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.policy.StepView;
import dev.headway.scheduler.policy.tokens.DecodeLoad;

/**
 * How long a prompt would take if it began now and had all that decodes leave: full steps of {@code
 * chunk} tokens and one with the rest, {@code chunk = largest budget - decodes}. A lower bound, as
 * prompts share steps. Engine thread only.
 */
final class PrefillTime {

  private final DecodeLoad decodes = new DecodeLoad();
  private long fullStepNs;
  private int chunk;

  /** Measures what runs; O(running). */
  void measure(StepView step) {
    decodes.measure(step);
    chunk = Math.max(1, DecodeLoad.largestBudget(step.config()) - decodes.seqs());
    fullStepNs = decodes.estimateNs(chunk, step);
  }

  /**
   * Predicts the time for {@code tokens}, in ns; {@link dev.headway.api.Absent#ABSENT} without a
   * model.
   */
  long ofNs(int tokens, StepView step) {
    final int rest = tokens % chunk;
    final long restNs = rest == 0 ? 0 : decodes.estimateNs(rest, step);
    if (fullStepNs == ABSENT || restNs == ABSENT) {
      return ABSENT;
    }
    return tokens / chunk * fullStepNs + restNs;
  }
}
