package dev.headway.routing.policy.builtin;

import dev.headway.routing.policy.RoutingBranch;
import dev.headway.routing.policy.RoutingDecision;
import dev.headway.routing.policy.RoutingPicker;
import dev.headway.routing.policy.RoutingRequest;
import dev.headway.routing.policy.WorkerSet;
import java.util.SplittableRandom;

/** Draws a candidate. */
final class RandomPicker implements RoutingPicker {

  private final SplittableRandom random;

  RandomPicker(long seed) {
    random = new SplittableRandom(seed);
  }

  @Override
  public void pick(
      RoutingRequest request, WorkerSet candidates, double[] totals, RoutingDecision decision) {
    decision.choose(candidates.get(random.nextInt(candidates.size())), RoutingBranch.RANDOM);
  }
}
