package dev.headway.routing.policy.builtin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.routing.core.RequestRouter;
import dev.headway.routing.core.RouteLease;
import dev.headway.routing.core.WorkerSpec;
import dev.headway.routing.policy.RoutingBranch;
import dev.headway.routing.policy.RoutingContext;
import dev.headway.routing.policy.RoutingOutcome;
import dev.headway.routing.policy.RoutingRequest;
import dev.headway.routing.policy.WorkerPrefixes;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PrefixPoliciesTest {

  private static final RoutingPolicies POLICIES =
      new RoutingPolicies(PrefixPoliciesTest.class.getClassLoader());

  private int nextId;

  @ParameterizedTest
  @ValueSource(strings = {"cache-aware", "kv-cost"})
  void shouldReturnToTheWorkerThatHasThePrefix(String policy) {
    final RequestRouter router = router(policy, 4);
    final String first = finish(router.route(tokens(prompt(1, 1_000))));
    finish(router.route(tokens(prompt(2, 1_000))));

    final RouteLease again = router.route(tokens(prompt(1, 1_000)));

    assertThat(again.worker().id()).isEqualTo(first);
    assertThat(again.decision().matchedUnits(again.decision().chosen())).isEqualTo(1_000);
    assertThat(again.decision().branch()).isIn(RoutingBranch.CACHE_HIT, RoutingBranch.KV_OVERLAP);
  }

  @Test
  void shouldCompareTextByCodePoints() {
    final RequestRouter router = router("cache-aware", 2);
    final String first = finish(router.route(text("😀".repeat(100))));

    final RouteLease again = router.route(text("😀".repeat(50) + "x"));

    assertThat(again.worker().id()).isEqualTo(first);
    assertThat(again.decision().promptUnits()).isEqualTo(51);
    assertThat(again.decision().matchedUnits(again.decision().chosen())).isEqualTo(50);
  }

  @Test
  void shouldChooseTheLessLoadedOfTwoThatHaveThePrefix() {
    final RequestRouter router = router("cache-aware", 3);
    finish(router.route(target("w0", prompt(1, 1_000))));
    finish(router.route(target("w1", prompt(1, 1_000))));
    router.route(target("w0", prompt(9, 500))); // stays

    final RouteLease again = router.route(tokens(prompt(1, 1_000)));

    assertThat(again.worker().id()).isEqualTo("w1");
  }

  @Test
  void shouldLeaveAPrefixThatSavesLessThanWhatIsPendingThere() {
    final RequestRouter router = router("cache-aware", 2);
    finish(router.route(target("w0", prompt(1, 1_000))));
    router.route(target("w0", prompt(2, 5_000))); // stays

    final RouteLease again = router.route(tokens(prompt(1, 1_000)));

    assertThat(again.worker().id()).isEqualTo("w1");
    assertThat(again.decision().branch()).isEqualTo(RoutingBranch.CACHE_MISS_MINLOAD);
  }

  @Test
  void shouldReturnOncePendingTokensAreComputed() {
    final RequestRouter router = router("cache-aware", 2);
    finish(router.route(target("w0", prompt(1, 1_000))));
    final RouteLease running = router.route(target("w0", prompt(2, 5_000)));
    running.firstToken();

    assertThat(router.route(tokens(prompt(1, 1_000))).worker().id()).isEqualTo("w0");
  }

  @Test
  void shouldStillFollowPrefixesAmongLightWorkersWhenLoadsAreUneven() {
    final RequestRouter router = router("cache-aware(balance-abs=4)", 3);
    finish(router.route(target("w0", prompt(1, 1_000))));
    finish(router.route(target("w2", prompt(1, 600))));
    for (int i = 0; i < 10; i++) {
      router.route(target("w0", prompt(100 + i, 1))).firstToken();
    }

    final RouteLease again = router.route(tokens(prompt(1, 1_000)));

    assertThat(again.worker().id()).isEqualTo("w2");
    assertThat(again.decision().branch()).isEqualTo(RoutingBranch.CACHE_HIT);
    assertThat(router.route(tokens(prompt(3, 10))).decision().branch())
        .isEqualTo(RoutingBranch.IMBALANCE_MINLOAD);
  }

  @Test
  void shouldIgnoreMatchesBelowTheThreshold() {
    final RequestRouter router = router("cache-aware(threshold=0.5)", 2);
    finish(router.route(target("w1", prompt(1, 400))));

    assertThat(router.route(tokens(prompt(1, 1_000))).decision().branch())
        .isEqualTo(RoutingBranch.CACHE_MISS_MINLOAD);
  }

  @Test
  void shouldForgetTheCacheOfAWorkerThatLeft() {
    final RequestRouter router = router("cache-aware", 2);
    finish(router.route(target("w0", prompt(1, 1_000))));
    router.remove("w0");
    router.add(WorkerSpec.of("w0", ""));

    final RouteLease again = router.route(tokens(prompt(1, 1_000)));

    assertThat(again.decision().branch()).isEqualTo(RoutingBranch.CACHE_MISS_MINLOAD);
  }

  @Test
  void shouldCountCostInBlocks() {
    // w0 holds 160 tokens and has 80 of this prompt: (320 - 80 + 160)/16 against 320/16
    final RequestRouter router = router("kv-cost", 2);
    final RouteLease held = router.route(target("w0", prompt(1, 160)));
    held.firstToken();

    final RouteLease lease = router.route(tokens(join(prompt(1, 80), prompt(5, 240))));

    assertThat(lease.decision().scores().getFirst().value(0)).isEqualTo(-(320 - 80 + 160) / 16.0);
    assertThat(lease.decision().scores().getFirst().value(1)).isEqualTo(-320 / 16.0);
    assertThat(lease.worker().id()).isEqualTo("w1");
  }

  @Test
  void shouldDrawAtATemperature() {
    final RequestRouter router = router("kv-cost(temperature=0.5)", 2);
    finish(router.route(target("w0", prompt(1, 1_600))));

    int hits = 0;
    for (int i = 0; i < 200; i++) {
      hits += finish(router.route(tokens(prompt(1, 1_600)))).equals("w0") ? 1 : 0;
    }

    assertThat(hits).as("seed 42").isBetween(80, 199);
  }

  @Test
  void shouldFollowKvEventsWhereThereAreSome() {
    final WorkerPrefixes index = (request, candidates, matched) -> matched[1] = 64;
    final RequestRouter router =
        withWorkers(
            RequestRouter.builder(
                    POLICIES.create("precise-prefix", new RoutingContext(Map.of(), 1, index, null)))
                .build(),
            3);

    final RouteLease lease = router.route(tokens(prompt(1, 128)));

    assertThat(lease.worker().id()).isEqualTo("w1");
    assertThat(lease.decision().scores()).hasSize(2);
    assertThat(lease.decision().total(1)).isEqualTo(3 * 0.5 + 2 * 1);
  }

  @Test
  void shouldSayWhatAPolicyLacks() {
    assertThatThrownBy(() -> POLICIES.create("precise-prefix", RoutingContext.ofSeed(1)))
        .hasMessage(
            "routing policy 'precise-prefix' needs the KV events of the workers; 'cache-aware' does"
                + " without");
    assertThatThrownBy(() -> POLICIES.create("predicted-latency", RoutingContext.ofSeed(1)))
        .hasMessage(
            "routing policy 'predicted-latency' needs a model of step times, as 'headway fit'"
                + " writes them");
  }

  @Test
  void shouldMoveFewKeysWhenAWorkerLeaves() {
    final RequestRouter router = router("consistent-hashing", 4);
    final String[] before = new String[1_000];
    for (int i = 0; i < before.length; i++) {
      before[i] = finish(router.route(key("k" + i)));
    }

    router.remove("w3");

    int moved = 0;
    for (int i = 0; i < before.length; i++) {
      final String now = finish(router.route(key("k" + i)));
      moved += now.equals(before[i]) ? 0 : 1;
      assertThat(now).isEqualTo(before[i].equals("w3") ? now : before[i]);
    }
    assertThat(moved).isBetween(150, 350);
  }

  @Test
  void shouldLeaveAnOverloadedOwner() {
    final RequestRouter router = router("prefix-hash(tokens=8,load-factor=1.25)", 4);
    final RoutingRequest request = tokens(prompt(1, 100));
    final String owner = router.route(request).worker().id();

    RouteLease last = router.route(tokens(prompt(1, 100)));
    for (int i = 0; i < 20; i++) {
      last = router.route(tokens(prompt(1, 100)));
    }

    assertThat(last.decision().branch()).isIn(RoutingBranch.RING_OVERLOAD, RoutingBranch.RING_HIT);
    assertThat(router.workers())
        .as("load stays within the bound, owner %s", owner)
        .allSatisfy(worker -> assertThat(worker.inFlight()).isBetween(4, 8));
  }

  @Test
  void shouldKeepAKeyOnItsWorkerUntilItIsIdle() {
    final RequestRouter router = router("sticky(max-idle-s=10)", 3);
    final RouteLease first = router.route(key("k", 0));
    final RouteLease second = router.route(key("k", 9_000_000_000L));
    final RouteLease third = router.route(key("k", 30_000_000_000L));

    assertThat(first.decision().branch()).isEqualTo(RoutingBranch.STICKY_NEW);
    assertThat(second.decision().branch()).isEqualTo(RoutingBranch.STICKY_HIT);
    assertThat(second.worker()).isEqualTo(first.worker());
    assertThat(third.decision().branch()).isEqualTo(RoutingBranch.STICKY_NEW);
    assertThat(third.worker()).isNotEqualTo(first.worker());
  }

  @Test
  void shouldGiveShortAndLongPromptsToDifferentWorkers() {
    final RequestRouter router = router("bucket(interval-s=1)", 2);
    for (int i = 0; i < 200; i++) {
      finish(router.route(tokens(prompt(i, i % 2 == 0 ? 100 : 900))));
    }

    final String shortOne = finish(router.route(at(5_000_000_000L, prompt(1, 100))));
    final String longOne = finish(router.route(at(5_000_000_000L, prompt(1, 900))));

    assertThat(shortOne).isEqualTo("w0");
    assertThat(longOne).isEqualTo("w1");
  }

  private static String finish(RouteLease lease) {
    lease.firstToken();
    lease.ended(RoutingOutcome.COMPLETED, 0);
    return lease.worker().id();
  }

  private RoutingRequest tokens(int... tokens) {
    return request().tokens(tokens).build();
  }

  private RoutingRequest target(String worker, int... tokens) {
    return request().tokens(tokens).targetWorker(worker).build();
  }

  private RoutingRequest at(long nowNs, int... tokens) {
    return request().tokens(tokens).nowNs(nowNs).build();
  }

  private RoutingRequest text(String text) {
    return request().text(text).build();
  }

  private RoutingRequest key(String key) {
    return key(key, 0);
  }

  private RoutingRequest key(String key, long nowNs) {
    return request().routingKey(key).nowNs(nowNs).build();
  }

  private RoutingRequest.Builder request() {
    return RoutingRequest.builder("r" + nextId++);
  }

  private static int[] prompt(int seed, int length) {
    return new Random(seed).ints(length, 0, 100_000).toArray();
  }

  private static int[] join(int[] first, int[] second) {
    final int[] both = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, both, first.length, second.length);
    return both;
  }

  private static RequestRouter router(String policy, int workers) {
    return withWorkers(
        RequestRouter.builder(POLICIES.create(policy, RoutingContext.ofSeed(42))).build(), workers);
  }

  private static RequestRouter withWorkers(RequestRouter router, int workers) {
    for (int i = 0; i < workers; i++) {
      router.add(WorkerSpec.of("w" + i, ""));
    }
    return router;
  }
}
