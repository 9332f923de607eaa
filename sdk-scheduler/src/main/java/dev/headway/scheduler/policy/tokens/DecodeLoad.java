package dev.headway.scheduler.policy.tokens;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.policy.StepView;
import dev.headway.api.request.RequestView;
import dev.headway.api.step.StepFeatures;

/**
 * What the running requests that decode put on a step, and how long a step with prompts beside them
 * would take. A reused holder; engine thread only; allocates nothing.
 */
public final class DecodeLoad {

  private final StepFeatures decodes = new StepFeatures();
  private final StepFeatures withPrompts = new StepFeatures();

  /** Makes a holder of nothing. */
  public DecodeLoad() {}

  /** Measures the running requests of {@code step}; O(running). */
  public void measure(StepView step) {
    decodes.begin();
    for (int index = 0; index < step.runningCount(); index++) {
      final RequestView running = step.running(index);
      if (running.isDecoding()) {
        decodes.addDecode(1, running.computedTokens());
      }
    }
  }

  /** Most tokens that a step may schedule. */
  public static int largestBudget(SchedulerConfig config) {
    return config.maxNumScheduledTokens() == 0
        ? config.limits().maxNumBatchedTokens()
        : config.maxNumScheduledTokens();
  }

  /** Requests that decode. */
  public int seqs() {
    return decodes.decodeRequests();
  }

  /**
   * Predicts the duration of a step of these decodes, without drafts, and a prompt from its
   * beginning, in ns; {@link dev.headway.api.Absent#ABSENT} without a model.
   *
   * @param prefillTokens tokens of the prompt, >= 0
   */
  public long estimateNs(int prefillTokens, StepView step) {
    withPrompts.copyFrom(decodes);
    if (prefillTokens > 0) {
      withPrompts.addPrefill(prefillTokens, 0);
    }
    return step.estimateNs(withPrompts);
  }
}
