package dev.headway.scheduler.policy.order;

import dev.headway.api.policy.Candidates;
import dev.headway.api.policy.DynamicOrder;
import dev.headway.api.policy.StepView;
import dev.headway.api.request.LoraAdapter;
import dev.headway.api.request.RequestView;
import dev.headway.scheduler.support.LongLongMap;

/**
 * The request first whose adapter most running requests use, so that a step loads few adapters; of
 * adapters with equally many the one for which a candidate waits longest, all its requests
 * together:
 *
 * <pre>{@code
 * score(r) = first(r) - running(r) * candidates
 * }</pre>
 *
 * <p>where {@code running(r)} are the running requests with r's adapter, and {@code first(r)} is
 * the position of the first candidate with it; a request without an adapter has 0 and its own
 * position.
 *
 * <p>Starves rare adapters under load; a baseline for studies.
 *
 * <p>Source: SGLang {@code routing-key}, whose key is a field of the request and decides between
 * equally frequent ones; here it is the LoRA adapter.
 */
public final class RunningAdapters implements DynamicOrder {

  private static final int NO_ADAPTER = 0;
  private static final long NOT_SEEN = -1;

  private final LongLongMap running = new LongLongMap();
  private final LongLongMap firsts = new LongLongMap();

  /** Makes the policy. */
  public RunningAdapters() {}

  @Override
  public void score(Candidates candidates, double[] scores, StepView step) {
    countRunning(step);
    firsts.clear();
    for (int index = 0; index < candidates.size(); index++) {
      final int adapter = adapter(candidates.request(index));
      scores[index] =
          adapter == NO_ADAPTER
              ? index
              : first(adapter, index) - (double) running.get(adapter, 0) * candidates.size();
    }
  }

  private void countRunning(StepView step) {
    running.clear();
    for (int index = 0; index < step.runningCount(); index++) {
      final int adapter = adapter(step.running(index));
      if (adapter != NO_ADAPTER) {
        running.put(adapter, running.get(adapter, 0) + 1);
      }
    }
  }

  private long first(int adapter, int index) {
    final long first = firsts.get(adapter, NOT_SEEN);
    if (first == NOT_SEEN) {
      firsts.put(adapter, index);
      return index;
    }
    return first;
  }

  private static int adapter(RequestView request) {
    final LoraAdapter lora = request.request().lora();
    return lora == null ? NO_ADAPTER : lora.id();
  }
}
