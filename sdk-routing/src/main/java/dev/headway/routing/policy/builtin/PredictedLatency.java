package dev.headway.routing.policy.builtin;

import dev.headway.routing.policy.BestPicker;
import dev.headway.routing.policy.LatencyPredictor;
import dev.headway.routing.policy.RoutingBranch;
import dev.headway.routing.policy.RoutingDecision;
import dev.headway.routing.policy.Worker;

/** The least predicted time to the first token. */
record PredictedLatency(LatencyPredictor predictor) implements PrefixPolicy.Rule {

  @Override
  public void choose(PrefixCandidates candidates, RoutingDecision decision) {
    final PendingTokens pending = candidates.pending();
    final int prompt = candidates.request().promptTokens();
    final double[] scores = new double[candidates.size()];
    for (int i = 0; i < scores.length; i++) {
      final Worker worker = candidates.get(i);
      final int uncached = Math.max(1, prompt - candidates.cachedTokens(i));
      scores[i] =
          -predictor.firstTokenNs(
              worker, pending.prefillTokens(worker), pending.decoding(worker), uncached);
    }
    decision.scored("first_token_ns", 1, candidates.workers(), scores);
    new BestPicker(RoutingBranch.PREDICTED)
        .pick(candidates.request(), candidates.workers(), scores, decision);
  }
}
