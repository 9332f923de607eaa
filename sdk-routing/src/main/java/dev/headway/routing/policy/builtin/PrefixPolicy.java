package dev.headway.routing.policy.builtin;

import dev.headway.routing.policy.RoutingDecision;
import dev.headway.routing.policy.RoutingOutcome;
import dev.headway.routing.policy.RoutingPolicy;
import dev.headway.routing.policy.RoutingRequest;
import dev.headway.routing.policy.Worker;
import dev.headway.routing.policy.WorkerSet;

/** A policy that weighs cached prefixes against pending work; the rule is its {@link Rule}. */
final class PrefixPolicy implements RoutingPolicy {

  private final String name;
  private final PrefixMatches prefixes;
  private final Rule rule;

  /** Chooses among candidates. */
  @FunctionalInterface
  interface Rule {
    void choose(PrefixCandidates candidates, RoutingDecision decision);
  }

  PrefixPolicy(String name, PrefixMatches prefixes, Rule rule) {
    this.name = name;
    this.prefixes = prefixes;
    this.rule = rule;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public void route(RoutingRequest request, WorkerSet candidates, RoutingDecision decision) {
    final int[] matched = prefixes.match(request, candidates, decision);
    rule.choose(new PrefixCandidates(request, candidates, matched, prefixes.pending()), decision);
  }

  @Override
  public void onDispatched(RoutingDecision decision, Worker worker) {
    prefixes.onDispatched(decision, worker);
  }

  @Override
  public void onFirstToken(RoutingRequest request, Worker worker) {
    prefixes.onFirstToken(request, worker);
  }

  @Override
  public void onEnded(
      RoutingRequest request, Worker worker, RoutingOutcome outcome, long cachedTokens) {
    prefixes.onEnded(request, worker, outcome, cachedTokens);
  }

  @Override
  public void onWorkerRemoved(Worker worker) {
    prefixes.onWorkerRemoved(worker);
  }
}
