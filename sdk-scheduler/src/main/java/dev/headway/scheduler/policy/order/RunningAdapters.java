package dev.headway.scheduler.policy.order;

import dev.headway.api.policy.Candidates;
import dev.headway.api.policy.DynamicOrder;
import dev.headway.api.policy.StepView;
import dev.headway.api.request.LoraAdapter;
import dev.headway.api.request.RequestView;
import dev.headway.scheduler.support.LongLongMap;

/**
 * The request first whose adapter most running requests use, so that a step loads few adapters:
 *
 * <pre>{@code
 * score(r) = -(running requests with r's adapter), 0 without an adapter
 * }</pre>
 *
 * <p>Starves rare adapters under load; a baseline for studies.
 *
 * <p>Source: SGLang {@code routing-key}, whose key is a field of the request; here it is the LoRA
 * adapter.
 */
public final class RunningAdapters implements DynamicOrder {

  private static final int NO_ADAPTER = 0;

  private final LongLongMap users = new LongLongMap();

  /** Makes the policy. */
  public RunningAdapters() {}

  @Override
  public boolean changesWithAdmissions() {
    return true;
  }

  @Override
  public void score(Candidates candidates, double[] scores, StepView step) {
    users.clear();
    for (int index = 0; index < step.runningCount(); index++) {
      final int adapter = adapter(step.running(index));
      users.put(adapter, users.get(adapter, 0) + 1);
    }
    for (int index = 0; index < candidates.size(); index++) {
      final int adapter = adapter(candidates.request(index));
      scores[index] = adapter == NO_ADAPTER ? 0 : -users.get(adapter, 0);
    }
  }

  private static int adapter(RequestView request) {
    final LoraAdapter lora = request.request().lora();
    return lora == null ? NO_ADAPTER : lora.id();
  }
}
