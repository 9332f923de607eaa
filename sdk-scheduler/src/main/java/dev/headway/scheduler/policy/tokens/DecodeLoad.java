package dev.headway.scheduler.policy.tokens;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.policy.StepView;
import dev.headway.api.request.RequestView;

/**
 * What the running requests that only decode put on a step: those that lack at most their newest
 * token. A reused holder; engine thread only.
 */
public final class DecodeLoad {

  private int seqs;
  private long contextTokens;

  /** Makes a holder of nothing. */
  public DecodeLoad() {}

  /** Measures the running requests of {@code step}; O(running). */
  public void measure(StepView step) {
    seqs = 0;
    contextTokens = 0;
    for (int index = 0; index < step.runningCount(); index++) {
      final RequestView running = step.running(index);
      if (decodes(running)) {
        seqs++;
        contextTokens += running.knownTokens();
      }
    }
  }

  /** Most tokens that a step may schedule. */
  public static int largestBudget(SchedulerConfig config) {
    return config.maxNumScheduledTokens() == 0
        ? config.limits().maxNumBatchedTokens()
        : config.maxNumScheduledTokens();
  }

  /** Whether the request lacks at most its newest token. */
  static boolean decodes(RequestView request) {
    return request.knownTokens() - request.computedTokens() <= 1;
  }

  /** Requests that decode. */
  public int seqs() {
    return seqs;
  }

  /** Tokens they attend to, over all of them. */
  public long contextTokens() {
    return contextTokens;
  }
}
