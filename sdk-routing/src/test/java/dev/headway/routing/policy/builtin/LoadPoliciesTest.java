package dev.headway.routing.policy.builtin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.routing.core.RequestRouter;
import dev.headway.routing.core.RouteLease;
import dev.headway.routing.core.WorkerSpec;
import dev.headway.routing.policy.RoutingBranch;
import dev.headway.routing.policy.RoutingContext;
import dev.headway.routing.policy.RoutingRequest;
import dev.headway.routing.policy.Worker;
import dev.headway.routing.policy.WorkerLoad;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LoadPoliciesTest {

  private static final RoutingPolicies POLICIES =
      new RoutingPolicies(LoadPoliciesTest.class.getClassLoader());

  @ParameterizedTest
  @ValueSource(strings = {"round-robin", "power-of-two", "least-load"})
  void shouldShareEvenlyWhenNothingEnds(String policy) {
    final RequestRouter router = router(policy, 2);

    for (int i = 0; i < 100; i++) {
      router.route(request(i));
    }

    assertThat(shares(router).values()).allSatisfy(share -> assertThat(share).isBetween(45L, 55L));
  }

  @Test
  void shouldNotPinTheFirstWorkerWhenAllAreIdle() {
    final RequestRouter router = router("least-load", 4);

    for (int i = 0; i < 40; i++) {
      router.route(request(i)).close();
    }

    assertThat(shares(router).values()).containsOnly(10L);
  }

  @Test
  void shouldGiveByWeight() {
    final RequestRouter router =
        RequestRouter.builder(POLICIES.create("least-load", RoutingContext.ofSeed(1))).build();
    router.add(new WorkerSpec("slow", "", null, 50, 1));
    router.add(new WorkerSpec("fast", "", null, 150, 1));

    for (int i = 0; i < 80; i++) {
      router.route(request(i));
    }

    assertThat(shares(router)).isEqualTo(Map.of("slow", 20L, "fast", 60L));
  }

  @Test
  void shouldDrawEveryWorkerAtRandom() {
    final RequestRouter router = router("random", 4);

    for (int i = 0; i < 4_000; i++) {
      router.route(request(i)).close();
    }

    assertThat(shares(router).values())
        .as("seed 42")
        .allSatisfy(share -> assertThat(share).isBetween(880L, 1_120L));
  }

  @Test
  void shouldCompareTokensOnlyIfBothWorkersReportThem() {
    final RequestRouter router = router("power-of-two", 2);
    router.report("w0", new WorkerLoad(100_000, 1, 0, 0.9, 0));
    final RouteLease first = router.route(RoutingRequest.builder("x").targetWorker("w1").build());

    // w1 has one request in flight and says nothing of tokens; 100,000 against 1 would be nonsense
    assertThat(router.route(request(1)).worker().id()).isEqualTo("w0");

    router.report("w1", new WorkerLoad(10, 1, 0, 0.1, 0));
    assertThat(router.route(request(2)).worker().id()).isEqualTo("w1");
    assertThat(first.worker().id()).isEqualTo("w1");
  }

  @Test
  void shouldCountTokensThatAReportCannotKnow() {
    final RequestRouter router = router("power-of-two", 2);
    router.report("w0", new WorkerLoad(100, 1, 0, 0.1, 10));
    router.report("w1", new WorkerLoad(0, 0, 0, 0, 10));
    final RoutingRequest.Builder prompt = RoutingRequest.builder("x").tokens(new int[150]);
    assertThat(router.route(prompt.nowNs(20).build()).worker().id()).isEqualTo("w1");

    assertThat(router.route(prompt.nowNs(30).build()).worker().id()).isEqualTo("w0"); // 100 < 150

    router.report("w1", new WorkerLoad(0, 0, 0, 0, 19)); // of before the request
    router.report("w0", new WorkerLoad(100, 1, 0, 0.1, 30));
    assertThat(router.workers().get(1).unreportedTokens()).isEqualTo(150);
    assertThat(router.workers().get(0).unreportedTokens()).isZero();

    router.report("w1", new WorkerLoad(150, 1, 0, 0.1, 20));
    assertThat(router.workers().get(1).unreportedTokens()).isZero();
  }

  @Test
  void shouldCountWhatAWorkerThatNeverReportsWasSent() {
    final RequestRouter router = router("round-robin", 1);
    for (int i = 0; i < 3_000; i++) {
      router.route(RoutingRequest.builder("x" + i).tokens(new int[2]).nowNs(i).build());
    }

    assertThat(router.workers().get(0).unreportedTokens()).isEqualTo(6_000);

    router.report("w0", new WorkerLoad(0, 0, 0, 0, 2_989));
    assertThat(router.workers().get(0).unreportedTokens()).isEqualTo(20);
  }

  @Test
  void shouldCompareRequestsInFlightIfAskedTo() {
    final RequestRouter router = router("power-of-two(by=in-flight)", 2);
    router.report("w0", new WorkerLoad(100_000, 1, 0, 0.9, 0));
    router.report("w1", new WorkerLoad(10, 1, 0, 0.1, 0));
    router.route(RoutingRequest.builder("x").targetWorker("w1").build());

    assertThat(router.route(request(1)).worker().id()).isEqualTo("w0");
  }

  @Test
  void shouldTakeTurnsAlsoWhenAWorkerComesAndGoes() {
    final RequestRouter router = router("round-robin", 3);

    assertThat(router.route(request(0)).worker().id()).isEqualTo("w0");
    router.drain("w1");
    assertThat(router.route(request(1)).worker().id()).isEqualTo("w2");
    router.resume("w1");
    assertThat(router.route(request(2)).worker().id()).isEqualTo("w0");
    final RouteLease last = router.route(request(3));

    assertThat(last.worker().id()).isEqualTo("w1");
    assertThat(last.decision().branch()).isEqualTo(RoutingBranch.RR_NEXT);
  }

  @Test
  void shouldRefuseNamesAndOptionsThatThereAreNot() {
    final RoutingContext context = RoutingContext.ofSeed(1);

    assertThatThrownBy(() -> POLICIES.create("fastest", context))
        .hasMessageStartingWith("no routing policy named 'fastest': found=[");
    assertThatThrownBy(() -> POLICIES.create("random(bias=1)", context))
        .hasMessage("policy 'random' has no such options: given=[bias], known=[]");
    assertThatThrownBy(() -> POLICIES.create("random+least-load", context))
        .hasMessageStartingWith("name exactly one routing policy: router='random+least-load'");
  }

  private static Map<String, Long> shares(RequestRouter router) {
    return StreamSupport.stream(router.workers().spliterator(), false)
        .collect(Collectors.toMap(Worker::id, Worker::dispatched));
  }

  private static RequestRouter router(String policy, int workers) {
    final RequestRouter router =
        RequestRouter.builder(POLICIES.create(policy, RoutingContext.ofSeed(42))).build();
    for (int i = 0; i < workers; i++) {
      router.add(WorkerSpec.of("w" + i, ""));
    }
    return router;
  }

  private static RoutingRequest request(int id) {
    return RoutingRequest.builder("r" + id).build();
  }
}
