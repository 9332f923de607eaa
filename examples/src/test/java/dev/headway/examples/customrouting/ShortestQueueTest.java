package dev.headway.examples.customrouting;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.routing.core.RequestRouter;
import dev.headway.routing.core.RouteLease;
import dev.headway.routing.core.WorkerSpec;
import dev.headway.routing.policy.RoutingPolicy;
import dev.headway.routing.policy.RoutingRequest;
import dev.headway.routing.policy.WorkerLoad;
import dev.headway.routing.testkit.RoutingPolicyContract;
import org.junit.jupiter.api.Test;

// @start region="contract"
/** A routing policy of one's own keeps the contract, and chooses as it says. */
class ShortestQueueTest extends RoutingPolicyContract {

  @Override
  protected RoutingPolicy policy(long seed) {
    return new ShortestQueue();
  }

  // @end

  @Test
  void shouldChooseTheShortestQueue() {
    final RequestRouter router = RequestRouter.builder(new ShortestQueue()).build();
    router.add(WorkerSpec.of("a", ""));
    router.add(WorkerSpec.of("b", ""));
    router.report("a", new WorkerLoad(0, 0, 3, 0.1, 0));
    router.report("b", new WorkerLoad(9_000, 8, 2, 0.9, 0));

    try (RouteLease lease = router.route(RoutingRequest.builder("r").build())) {
      assertThat(lease.worker().id()).isEqualTo("b");
    }
  }
}
