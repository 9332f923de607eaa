package dev.headway.routing.policy.builtin;

import dev.headway.routing.policy.BestPicker;
import dev.headway.routing.policy.LatencyPredictor;
import dev.headway.routing.policy.RoutingBranch;
import dev.headway.routing.policy.RoutingDecision;
import dev.headway.routing.policy.RoutingRequest;
import dev.headway.routing.policy.Worker;
import dev.headway.routing.policy.WorkerSet;

/** The least predicted time to the first token. */
record PredictedLatency(LatencyPredictor predictor) implements PrefixPolicy.Rule {

  @Override
  public void choose(
      RoutingRequest request,
      WorkerSet candidates,
      int[] matched,
      PendingTokens pending,
      RoutingDecision decision) {
    final double[] scores = new double[candidates.size()];
    for (int i = 0; i < scores.length; i++) {
      final Worker worker = candidates.get(i);
      final int uncached =
          Math.max(1, request.promptTokens() - CachedTokens.of(request, matched[i]));
      scores[i] =
          -predictor.firstTokenNs(
              worker, pending.prefillTokens(worker), pending.decoding(worker), uncached);
    }
    decision.scored("first_token_ns", 1, candidates, scores);
    new BestPicker(RoutingBranch.PREDICTED).pick(request, candidates, scores, decision);
  }
}
