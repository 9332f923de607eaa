package dev.headway.routing.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.routing.policy.RoutingBranch;
import dev.headway.routing.policy.RoutingContext;
import dev.headway.routing.policy.RoutingDecision;
import dev.headway.routing.policy.RoutingOutcome;
import dev.headway.routing.policy.RoutingPolicy;
import dev.headway.routing.policy.RoutingRequest;
import dev.headway.routing.policy.Worker;
import dev.headway.routing.policy.WorkerSet;
import dev.headway.routing.policy.builtin.RoutingPolicies;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class RequestRouterTest {

  private static final RoutingPolicies POLICIES =
      new RoutingPolicies(RequestRouterTest.class.getClassLoader());

  @Test
  void shouldCountLoadFromTheDecisionUntilTheEnd() {
    final RequestRouter router = router("least-load", "a", "b");

    final RouteLease lease = router.route(request("1"));

    assertThat(lease.worker().inFlight()).isEqualTo(1);
    assertThat(lease.decision().load(0)).isZero();
    lease.firstToken();
    lease.ended(RoutingOutcome.COMPLETED, 7);
    assertThat(lease.worker().inFlight()).isZero();
    assertThat(lease.worker().dispatched()).isEqualTo(1);
  }

  @Test
  void shouldReleaseOnceWhateverEndsIt() {
    final Ends ends = new Ends();
    final RequestRouter router =
        RequestRouter.builder(POLICIES.create("least-load", RoutingContext.ofSeed(1)))
            .listener(ends)
            .build();
    final Worker worker = router.add(WorkerSpec.of("a", ""));

    try (RouteLease lease = router.route(request("1"))) {
      lease.ended(RoutingOutcome.CANCELLED);
      lease.ended(RoutingOutcome.COMPLETED);
    }

    assertThat(worker.inFlight()).isZero();
    assertThat(ends.outcomes).containsExactly(RoutingOutcome.CANCELLED);
  }

  @Test
  void shouldReleaseOnceWhenManyThreadsEndIt() throws InterruptedException {
    final RequestRouter router = router("round-robin", "a", "b");
    final int threads = 8;
    final List<Thread> all = new ArrayList<>();
    final CountDownLatch go = new CountDownLatch(1);
    final List<RouteLease> leases = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      leases.add(router.route(request("r" + i)));
    }

    for (int t = 0; t < threads; t++) {
      all.add(
          Thread.ofPlatform()
              .start(
                  () -> {
                    await(go);
                    leases.forEach(RouteLease::close);
                  }));
    }
    go.countDown();
    for (Thread thread : all) {
      thread.join();
    }

    assertThat(router.workers()).allSatisfy(worker -> assertThat(worker.inFlight()).isZero());
  }

  @Test
  void shouldSayWhyNoWorkerCanTakeIt() {
    final RequestRouter router = router("random", "a", "b");
    router.add(new WorkerSpec("c", "", "llama", 50, 1));
    router.drain("a");

    assertThatThrownBy(
            () ->
                router.route(
                    RoutingRequest.builder("1").model("qwen").excluded(Set.of("b")).build()))
        .isInstanceOf(NoWorkerException.class)
        .hasMessage(
            "no worker can take the request: a=draining, b=failed this request before,"
                + " c=serves another model");
  }

  @Test
  void shouldCountNothingWhenAListenerFails() {
    final RequestRouter router =
        RequestRouter.builder(POLICIES.create("random", RoutingContext.ofSeed(1)))
            .listener(
                new RoutingListener() {
                  @Override
                  public void onDecision(RoutingDecision decision) {
                    throw new IllegalArgumentException("full");
                  }
                })
            .build();
    final Worker worker = router.add(WorkerSpec.of("a", ""));

    assertThatThrownBy(() -> router.route(request("1"))).hasMessage("full");

    assertThat(worker.inFlight()).isZero();
  }

  @Test
  void shouldRefuseAPolicyThatChoosesADrainedWorker() {
    final RoutingPolicy stubborn =
        new RoutingPolicy() {
          @Override
          public String name() {
            return "stubborn";
          }

          @Override
          public void route(RoutingRequest request, WorkerSet set, RoutingDecision decision) {
            decision.choose(decision.workers().get(0), RoutingBranch.FALLBACK);
          }
        };
    final RequestRouter router = RequestRouter.builder(stubborn).build();
    router.add(WorkerSpec.of("a", ""));
    router.add(WorkerSpec.of("b", ""));
    router.drain("a");

    assertThatThrownBy(() -> router.route(request("1")))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "a routing policy must choose one of the candidates: policy=stubborn, worker=a,"
                + " refused because=draining");
  }

  @Test
  void shouldRouteToTheTargetOnly() {
    final RequestRouter router = router("round-robin", "a", "b", "c");

    final RouteLease lease = router.route(RoutingRequest.builder("1").targetWorker("c").build());

    assertThat(lease.worker().id()).isEqualTo("c");
    assertThat(lease.decision().candidates()).isEqualTo(1);
  }

  @Test
  void shouldTakeNoNewRequestsWhileDraining() {
    final RequestRouter router = router("round-robin", "a", "b");
    final RouteLease before = router.route(request("1"));

    router.drain("a");

    for (int i = 0; i < 5; i++) {
      assertThat(router.route(request("x" + i)).worker().id()).isEqualTo("b");
    }
    assertThat(before.worker().inFlight()).isEqualTo(1);
    router.resume("a");
    assertThat(router.route(request("2")).worker().id()).isEqualTo("a");
  }

  @Test
  void shouldLetRequestsOfARemovedWorkerEnd() {
    final RequestRouter router = router("round-robin", "a");
    final RouteLease lease = router.route(request("1"));

    assertThat(router.remove("a")).isTrue();
    final Worker again = router.add(WorkerSpec.of("a", ""));
    lease.ended(RoutingOutcome.FAILED);

    assertThat(again.inFlight()).isZero();
    assertThat(again.index()).isEqualTo(1);
    assertThat(lease.worker()).isNotSameAs(again);
  }

  private static RequestRouter router(String policy, String... ids) {
    final RequestRouter router =
        RequestRouter.builder(POLICIES.create(policy, RoutingContext.ofSeed(42))).build();
    for (String id : ids) {
      router.add(WorkerSpec.of(id, "http://" + id));
    }
    return router;
  }

  private static RoutingRequest request(String id) {
    return RoutingRequest.builder(id).build();
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static final class Ends implements RoutingListener {
    private final List<RoutingOutcome> outcomes = new ArrayList<>();

    @Override
    public void onEnded(RoutingDecision decision, RoutingOutcome outcome, long cachedTokens) {
      outcomes.add(outcome);
    }
  }
}
