package dev.headway.scheduler.policy.order;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.policy.Candidates;
import dev.headway.api.policy.DynamicOrder;
import dev.headway.api.policy.NeedsStepTime;
import dev.headway.api.policy.ServiceLedger;
import dev.headway.api.policy.StepView;
import dev.headway.api.request.RequestView;

/**
 * The request first that can wait least before it must begin:
 *
 * <pre>{@code
 * score(r) = deadline(r) - now - time to compute its uncached tokens
 * }</pre>
 *
 * <p>with the deadlines of {@link EarliestDeadline}, which this is while nothing is known about
 * durations. A long prompt goes before a short one that is due a little earlier.
 *
 * <p>Source: least laxity first (Mok 1983).
 */
public final class LeastSlack implements DynamicOrder, ServiceLedger, NeedsStepTime {

  private final int window;
  private final Deadlines deadlines;
  private final PrefillTime prefill = new PrefillTime();

  /**
   * Makes the order.
   *
   * @param window requests scored, >= 1
   * @param defaultTargetNs what a request without a target waits at most, in ns, >= 1
   */
  public LeastSlack(int window, long defaultTargetNs) {
    this.window = window;
    deadlines = new Deadlines(defaultTargetNs);
  }

  @Override
  public int window() {
    return window;
  }

  @Override
  public void score(Candidates candidates, double[] scores, StepView step) {
    prefill.measure(step);
    for (int index = 0; index < candidates.size(); index++) {
      final RequestView request = candidates.request(index);
      final int uncached = request.knownTokens() - step.cachedPrefixTokens(request);
      final long needed = prefill.ofNs(uncached, step);
      final long slack = deadlines.of(request) - step.nowNs();
      scores[index] = needed == ABSENT ? slack : slack - needed;
    }
  }

  @Override
  public void onFinished(RequestView request) {
    deadlines.onFinished(request);
  }
}
