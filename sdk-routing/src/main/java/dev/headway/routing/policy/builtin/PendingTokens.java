package dev.headway.routing.policy.builtin;

import dev.headway.routing.policy.RoutingDecision;
import dev.headway.routing.policy.RoutingObserver;
import dev.headway.routing.policy.RoutingOutcome;
import dev.headway.routing.policy.RoutingRequest;
import dev.headway.routing.policy.Worker;
import java.util.HashMap;
import java.util.Map;

/**
 * What the router itself expects each worker to be doing: prompt tokens still to be computed, from
 * the decision to the first token, and tokens of prompts held, to the end. Needs no report, so it
 * is never late.
 */
final class PendingTokens implements RoutingObserver {

  private final Map<Worker, Counts> counts = new HashMap<>();
  private final Map<RoutingRequest, Expected> expected = new HashMap<>();

  private static final class Counts {
    private long prefillTokens;
    private long heldTokens;
    private int decoding;
  }

  private static final class Expected {
    private final int prefillTokens;
    private final int heldTokens;
    private boolean decodes;

    private Expected(int prefillTokens, int heldTokens) {
      this.prefillTokens = prefillTokens;
      this.heldTokens = heldTokens;
    }
  }

  /** Prompt tokens given to a worker that it has not computed yet. */
  long prefillTokens(Worker worker) {
    final Counts count = counts.get(worker);
    return count == null ? 0 : count.prefillTokens;
  }

  /** Prompt tokens of all requests that a worker serves. */
  long heldTokens(Worker worker) {
    final Counts count = counts.get(worker);
    return count == null ? 0 : count.heldTokens;
  }

  /** Requests there that have their first token. */
  int decoding(Worker worker) {
    final Counts count = counts.get(worker);
    return count == null ? 0 : count.decoding;
  }

  @Override
  public void onDispatched(RoutingDecision decision, Worker worker) {
    final RoutingRequest request = decision.request();
    final int tokens = request.promptTokens();
    final Expected each =
        new Expected(Math.max(0, tokens - CachedTokens.of(decision, worker)), tokens);
    expected.put(request, each);
    final Counts count = counts.computeIfAbsent(worker, first -> new Counts());
    count.prefillTokens += each.prefillTokens;
    count.heldTokens += each.heldTokens;
  }

  @Override
  public void onFirstToken(RoutingRequest request, Worker worker) {
    final Expected each = expected.get(request);
    final Counts count = counts.get(worker);
    if (each != null && count != null && !each.decodes) {
      each.decodes = true;
      count.prefillTokens -= each.prefillTokens;
      count.decoding++;
    }
  }

  @Override
  public void onEnded(
      RoutingRequest request, Worker worker, RoutingOutcome outcome, long cachedTokens) {
    final Expected each = expected.remove(request);
    final Counts count = counts.get(worker);
    if (each == null || count == null) {
      return;
    }
    count.heldTokens -= each.heldTokens;
    if (each.decodes) {
      count.decoding--;
    } else {
      count.prefillTokens -= each.prefillTokens;
    }
  }

  @Override
  public void onWorkerRemoved(Worker worker) {
    counts.remove(worker);
  }
}
