package dev.headway.scheduler.policy.order;

import dev.headway.api.policy.StaticOrder;
import dev.headway.api.request.RequestView;

/**
 * Earliest deadline of the first token first: by {@code arrival + min(ttftTarget, timeout)}, or
 * {@code arrival + defaultTarget} for a request with neither, so that no request starves. Optimal
 * on one machine as long as all deadlines can be met; when they cannot, put an {@link
 * AttainableGate} before it.
 *
 * <p>Source: Liu and Layland (1973); for TTFT, Scorpio (arXiv 2505.23022).
 */
public final class EarliestDeadline implements StaticOrder {

  private final Deadlines deadlines;

  /**
   * Makes the order.
   *
   * @param defaultTargetNs what a request without a target waits at most, in ns, >= 1
   */
  public EarliestDeadline(long defaultTargetNs) {
    deadlines = new Deadlines(defaultTargetNs);
  }

  @Override
  public double key(RequestView request) {
    final long deadline = deadlines.of(request);
    deadlines.onFinished(request);
    return deadline;
  }
}
