package dev.headway.scheduler.policy.order;

import dev.headway.api.policy.ServiceLedger;
import dev.headway.api.policy.StepView;
import dev.headway.api.request.RequestView;
import dev.headway.api.step.StepPlan;
import dev.headway.scheduler.support.LongLongMap;

/**
 * Highest response ratio next, with waiting counted in work instead of time: first the request with
 * the most prompt tokens computed since its arrival per uncached token of its prompt.
 *
 * <pre>{@code
 * score(r) = held back ? infinity : -(processed - processed when r was queued) / uncached(r)
 * }</pre>
 *
 * <p>where {@code processed} are the prompt tokens computed so far in all requests, and {@code
 * uncached} is at least 1. Short prompts overtake long ones, but the ratio of a waiting request
 * rises without bound, so no request starves and no rate has to be chosen. Held back are those that
 * had better wait for an {@linkplain SharedPrefixes earlier one with the same beginning}. A
 * preempted request keeps its age.
 *
 * <p>Source: SGLang {@code hrrn}; the ratio is Brinch Hansen's (1971) less its constant 1.
 */
public final class HighestResponseRatio extends HeldLast implements ServiceLedger {

  private final LongLongMap processedWhenQueued = new LongLongMap();
  private long processed;

  /** Makes the order with SGLang's limits: 128 scored requests, 32 and 32 tokens. */
  public HighestResponseRatio() {
    this(128, new SharedPrefixes(32, 32));
  }

  /**
   * Makes the order.
   *
   * @param window requests scored, >= 1
   * @param shared decides which requests are held back
   */
  public HighestResponseRatio(int window, SharedPrefixes shared) {
    super(window, shared);
  }

  @Override
  double score(RequestView request, int uncached, StepView step) {
    final long waited = processed - processedWhenQueued.get(request.number(), processed);
    return -(double) waited / uncached;
  }

  @Override
  public void onQueued(RequestView request) {
    processedWhenQueued.put(request.number(), processed);
  }

  @Override
  public void onServed(StepPlan plan) {
    for (int entry = 0; entry < plan.size(); entry++) {
      final int own = plan.scheduledTokens(entry) - plan.drafts().count(entry);
      if (plan.outputTokens(entry) == 0 || own > 1) {
        processed += own;
      }
    }
  }

  @Override
  public void onFinished(RequestView request) {
    processedWhenQueued.remove(request.number());
  }
}
