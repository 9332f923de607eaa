package dev.headway.routing.policy.builtin;

import dev.headway.routing.policy.BestPicker;
import dev.headway.routing.policy.RoutingBranch;
import dev.headway.routing.policy.RoutingDecision;
import dev.headway.routing.policy.Worker;
import java.util.SplittableRandom;

/**
 * The least cost in blocks of KV cache, after NVIDIA Dynamo's router:
 *
 * <pre>
 * prefill = max(0, (pending + prompt tokens) / blockSize - overlapCredit * matched / blockSize)
 * decode  = tokens of the prompts held there / blockSize
 * cost    = prefillScale * prefill + decode + requestWeight * requests in flight
 * cost    = prefill * (decode + 1)                      by product (arXiv 2603.15202)
 * </pre>
 *
 * <p>Above temperature 0 the choice is drawn with probabilities {@code softmax(-cost /
 * temperature)} of costs scaled to [0, 1].
 */
final class KvCost implements PrefixPolicy.Rule {

  private final Options options;
  private final SplittableRandom random;
  private final BestPicker best = new BestPicker(RoutingBranch.KV_OVERLAP);

  /** How costs are put together. */
  enum Combination {
    SUM,
    PRODUCT
  }

  /**
   * The weights; see the class.
   *
   * @param blockSize tokens per block, >= 1
   */
  record Options(
      int blockSize,
      double overlapCredit,
      double prefillScale,
      double requestWeight,
      double temperature,
      Combination combination) {}

  KvCost(Options options, long seed) {
    this.options = options;
    random = new SplittableRandom(seed);
  }

  @Override
  public void choose(PrefixCandidates candidates, RoutingDecision decision) {
    final double[] scores = new double[candidates.size()];
    for (int i = 0; i < scores.length; i++) {
      final Worker worker = candidates.get(i);
      scores[i] = -cost(candidates, i, worker) * worker.cost() * 50 / worker.priority();
    }
    decision.scored("kv_cost", 1, candidates.workers(), scores);
    if (options.temperature > 0) {
      final int drawn = draw(scores);
      decision.choose(candidates.get(drawn), RoutingBranch.KV_OVERLAP);
    } else {
      best.pick(candidates.request(), candidates.workers(), scores, decision);
    }
  }

  private double cost(PrefixCandidates candidates, int index, Worker worker) {
    final PendingTokens pending = candidates.pending();
    final double size = options.blockSize;
    final double prefill =
        Math.max(
            0,
            (pending.prefillTokens(worker) + candidates.request().promptTokens()) / size
                - options.overlapCredit * candidates.cachedTokens(index) / size);
    final double decode = pending.heldTokens(worker) / size;
    return switch (options.combination) {
      case SUM ->
          options.prefillScale * prefill + decode + options.requestWeight * worker.inFlight();
      case PRODUCT -> prefill * (decode + 1);
    };
  }

  private int draw(double[] scores) {
    double max = Double.NEGATIVE_INFINITY;
    double min = Double.POSITIVE_INFINITY;
    for (double score : scores) {
      max = Math.max(max, score);
      min = Math.min(min, score);
    }
    final double range = max > min ? max - min : 1;
    double sum = 0;
    final double[] upTo = new double[scores.length];
    for (int i = 0; i < scores.length; i++) {
      sum += Math.exp((scores[i] - max) / range / options.temperature);
      upTo[i] = sum;
    }
    final double at = random.nextDouble() * sum;
    int drawn = 0;
    while (drawn < scores.length - 1 && upTo[drawn] <= at) {
      drawn++;
    }
    return drawn;
  }
}
