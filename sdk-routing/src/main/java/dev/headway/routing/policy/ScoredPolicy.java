package dev.headway.routing.policy;

import java.util.ArrayList;
import java.util.List;

/**
 * A policy of parts: filters remove candidates, scorers say how well each suits, their weighted sum
 * decides through a picker. If the filters leave none, they are ignored.
 */
public final class ScoredPolicy implements RoutingPolicy {

  private final String name;
  private final List<RoutingFilter> filters;
  private final List<Weighted> scorers;
  private final RoutingPicker picker;

  private ScoredPolicy(Builder builder) {
    name = builder.name;
    filters = List.copyOf(builder.filters);
    scorers = List.copyOf(builder.scorers);
    picker = builder.picker;
  }

  /** Begins a policy that picks the greatest sum of scores. */
  public static Builder builder(String name) {
    return new Builder(name);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public void route(RoutingRequest request, WorkerSet candidates, RoutingDecision decision) {
    final WorkerSet left = filter(request, candidates, decision);
    final double[] totals = new double[left.size()];
    for (Weighted weighted : scorers) {
      final double[] scores = new double[left.size()];
      weighted.scorer.score(request, left, scores, decision);
      decision.scored(weighted.scorer.name(), weighted.weight, left, scores);
      for (int i = 0; i < totals.length; i++) {
        totals[i] += weighted.weight * scores[i];
      }
    }
    picker.pick(request, left, totals, decision);
  }

  private WorkerSet filter(RoutingRequest request, WorkerSet candidates, RoutingDecision decision) {
    if (filters.isEmpty()) {
      return candidates;
    }
    final List<Worker> left = new ArrayList<>(candidates.size());
    for (Worker worker : candidates) {
      final String refusal = RoutingFilters.firstRefusal(filters, request, worker);
      if (refusal == null) {
        left.add(worker);
      } else {
        decision.refused(worker, refusal);
      }
    }
    return left.isEmpty() ? candidates : new WorkerSet(left);
  }

  @Override
  public void onDispatched(RoutingDecision decision, Worker worker) {
    scorers.forEach(weighted -> weighted.scorer.onDispatched(decision, worker));
  }

  @Override
  public void onFirstToken(RoutingRequest request, Worker worker) {
    scorers.forEach(weighted -> weighted.scorer.onFirstToken(request, worker));
  }

  @Override
  public void onEnded(
      RoutingRequest request, Worker worker, RoutingOutcome outcome, long cachedTokens) {
    scorers.forEach(weighted -> weighted.scorer.onEnded(request, worker, outcome, cachedTokens));
  }

  @Override
  public void onWorkerRemoved(Worker worker) {
    scorers.forEach(weighted -> weighted.scorer.onWorkerRemoved(worker));
  }

  private record Weighted(RoutingScorer scorer, double weight) {}

  /** Collects the parts. */
  public static final class Builder {
    private final String name;
    private final List<RoutingFilter> filters = new ArrayList<>();
    private final List<Weighted> scorers = new ArrayList<>();
    private RoutingPicker picker = new BestPicker(RoutingBranch.SCORE);

    private Builder(String name) {
      this.name = name;
    }

    /** Adds a filter. */
    public Builder filter(RoutingFilter filter) {
      filters.add(filter);
      return this;
    }

    /**
     * Adds a scorer.
     *
     * @param weight its share in the sum, finite
     * @throws IllegalArgumentException if there is one of that name
     */
    public Builder scorer(RoutingScorer scorer, double weight) {
      if (scorers.stream().anyMatch(other -> other.scorer.name().equals(scorer.name()))) {
        throw new IllegalArgumentException(
            "scorers of a policy must have different names: policy="
                + name
                + ", scorer="
                + scorer.name());
      }
      if (!Double.isFinite(weight)) {
        throw new IllegalArgumentException(
            "the weight of a scorer must be finite: scorer="
                + scorer.name()
                + ", weight="
                + weight);
      }
      scorers.add(new Weighted(scorer, weight));
      return this;
    }

    /** Sets the picker. */
    public Builder picker(RoutingPicker value) {
      picker = value;
      return this;
    }

    /** Makes the policy. */
    public ScoredPolicy build() {
      return new ScoredPolicy(this);
    }
  }
}
