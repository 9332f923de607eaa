package dev.headway.routing.policy.builtin;

import dev.headway.routing.policy.RoutingBranch;
import dev.headway.routing.policy.RoutingDecision;
import dev.headway.routing.policy.RoutingPicker;
import dev.headway.routing.policy.RoutingRequest;
import dev.headway.routing.policy.Worker;
import dev.headway.routing.policy.WorkerLoad;
import dev.headway.routing.policy.WorkerSet;
import java.util.SplittableRandom;

/**
 * Draws two candidates and takes the less loaded, the first if they are equal. Reported tokens are
 * compared only if both report them: tokens of one against requests of the other would decide by
 * the unit. Tokens sent since the report count too: without them, all requests between two reports
 * go to the worker that was the lighter one when it reported.
 */
final class PowerOfTwoPicker implements RoutingPicker {

  private final SplittableRandom random;
  private final Measure measure;

  /** What is compared. */
  enum Measure {
    REPORTED,
    IN_FLIGHT
  }

  PowerOfTwoPicker(long seed, Measure measure) {
    this.measure = measure;
    random = new SplittableRandom(seed);
  }

  @Override
  public void pick(
      RoutingRequest request, WorkerSet candidates, double[] totals, RoutingDecision decision) {
    final int size = candidates.size();
    final int left = random.nextInt(size);
    final int right = size == 1 ? left : (left + 1 + random.nextInt(size - 1)) % size;
    if (isLighter(candidates.get(right), candidates.get(left))) {
      decision.choose(candidates.get(right), RoutingBranch.P2C_RIGHT);
    } else {
      decision.choose(candidates.get(left), RoutingBranch.P2C_LEFT);
    }
  }

  private boolean isLighter(Worker right, Worker left) {
    final WorkerLoad rightLoad = right.load();
    final WorkerLoad leftLoad = left.load();
    if (measure == Measure.REPORTED && rightLoad != null && leftLoad != null) {
      return tokens(rightLoad, right) < tokens(leftLoad, left);
    }
    return right.effectiveLoad() < left.effectiveLoad();
  }

  private static double tokens(WorkerLoad reported, Worker worker) {
    return (reported.tokens() + worker.unreportedTokens()) * weight(worker);
  }

  private static double weight(Worker worker) {
    return worker.cost() * 50 / worker.priority();
  }
}
