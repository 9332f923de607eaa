package dev.headway.routing.policy.builtin;

import dev.headway.routing.policy.RoutingDecision;
import dev.headway.routing.policy.RoutingObserver;
import dev.headway.routing.policy.RoutingOutcome;
import dev.headway.routing.policy.RoutingRequest;
import dev.headway.routing.policy.Worker;
import dev.headway.routing.policy.WorkerPrefixes;
import dev.headway.routing.policy.WorkerSet;
import dev.headway.routing.policy.tree.ApproximatePrefixes;
import org.jspecify.annotations.Nullable;

/**
 * What candidates have cached of a prompt, with what the router itself expects them to do: from an
 * index fed by engines for prompts known as tokens, else from what workers were given.
 */
final class PrefixMatches implements RoutingObserver {

  private final @Nullable WorkerPrefixes index;
  private final ApproximatePrefixes given;
  private final PendingTokens pending = new PendingTokens();

  PrefixMatches(@Nullable WorkerPrefixes index, long maxUnitsPerWorker) {
    this.index = index;
    given = new ApproximatePrefixes(maxUnitsPerWorker);
  }

  /** Matched units by candidate, noted in the decision too. */
  int[] match(RoutingRequest request, WorkerSet candidates, RoutingDecision decision) {
    final int[] matched = new int[candidates.size()];
    if (index != null && request.hasTokens()) {
      index.match(request, candidates, matched);
    } else {
      given.match(request, candidates, matched);
    }
    for (int i = 0; i < matched.length; i++) {
      if (matched[i] > 0) {
        decision.matched(candidates.get(i), matched[i]);
      }
    }
    return matched;
  }

  /** What workers are expected to be doing. */
  PendingTokens pending() {
    return pending;
  }

  @Override
  public void onDispatched(RoutingDecision decision, Worker worker) {
    if (index == null || !decision.request().hasTokens()) {
      given.onDispatched(decision, worker);
    }
    pending.onDispatched(decision, worker);
  }

  @Override
  public void onFirstToken(RoutingRequest request, Worker worker) {
    pending.onFirstToken(request, worker);
  }

  @Override
  public void onEnded(
      RoutingRequest request, Worker worker, RoutingOutcome outcome, long cachedTokens) {
    pending.onEnded(request, worker, outcome, cachedTokens);
  }

  @Override
  public void onWorkerRemoved(Worker worker) {
    given.onWorkerRemoved(worker);
    pending.onWorkerRemoved(worker);
  }
}
