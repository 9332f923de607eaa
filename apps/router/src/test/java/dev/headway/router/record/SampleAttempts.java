package dev.headway.router.record;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.routing.core.RequestRouter;
import dev.headway.routing.core.WorkerSpec;
import dev.headway.routing.policy.RoutingBranch;
import dev.headway.routing.policy.RoutingContext;
import dev.headway.routing.policy.RoutingDecision;
import dev.headway.routing.policy.RoutingRequest;
import dev.headway.routing.policy.WorkerLoad;
import dev.headway.routing.policy.WorkerSet;
import dev.headway.routing.policy.builtin.RoutingPolicies;
import java.util.List;

/** Attempts with every figure known: three workers, one refused, two scored by two scorers. */
public final class SampleAttempts {

  private SampleAttempts() {}

  /** Chosen b before a, since its weighted sum is greater; c is left out. */
  public static Attempt completed(String requestId, int attempt) {
    return new Attempt(
        decision(requestId, attempt, true),
        1_000,
        1_600,
        1_700,
        2_000,
        2_500,
        9_000,
        200,
        "completed",
        null,
        4_321);
  }

  /** As {@link #completed}, but nothing came back. */
  public static Attempt failed(String requestId, String reason) {
    return new Attempt(
        decision(requestId, 0, true),
        1_000,
        1_600,
        ABSENT,
        ABSENT,
        ABSENT,
        3_000,
        0,
        "failed",
        reason,
        0);
  }

  /** All three were refused. */
  public static Attempt noWorker(String requestId) {
    return new Attempt(
        decision(requestId, 0, false),
        1_000,
        ABSENT,
        ABSENT,
        ABSENT,
        ABSENT,
        1_900,
        0,
        "no_worker",
        "no worker can take the request",
        0);
  }

  private static RoutingDecision decision(String requestId, int attempt, boolean hasChoice) {
    final RequestRouter router =
        RequestRouter.builder(
                new RoutingPolicies(SampleAttempts.class.getClassLoader())
                    .create("cache-aware", RoutingContext.ofSeed(1)))
            .build();
    for (String id : List.of("a", "b", "c")) {
      router.add(WorkerSpec.of(id, "http://" + id + ":8000"));
    }
    router.report("b", new WorkerLoad(0, 0, 0, 0, 300));
    final WorkerSet all = router.workers();
    final RoutingDecision decision =
        new RoutingDecision(
            RoutingRequest.builder(requestId)
                .tokens(new int[40])
                .attempt(attempt)
                .nowNs(1_000)
                .build(),
            "cache-aware",
            all);
    decision.costNs(250);
    decision.refused(all.get(2), "circuit breaker open");
    if (hasChoice) {
      final WorkerSet two = new WorkerSet(List.of(all.get(0), all.get(1)));
      decision.matched(all.get(1), 32);
      decision.scored("saved", 2, two, new double[] {0, 32});
      decision.scored("pending", 1, two, new double[] {-1.5, -4});
      decision.choose(all.get(1), RoutingBranch.CACHE_HIT);
    } else {
      decision.refused(all.get(0), "not healthy yet");
      decision.refused(all.get(1), "unhealthy: answered 500");
    }
    return decision;
  }
}
