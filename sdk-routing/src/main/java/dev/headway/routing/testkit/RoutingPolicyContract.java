package dev.headway.routing.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headway.routing.core.RequestRouter;
import dev.headway.routing.core.RouteLease;
import dev.headway.routing.core.WorkerSpec;
import dev.headway.routing.policy.RoutingBranch;
import dev.headway.routing.policy.RoutingDecision;
import dev.headway.routing.policy.RoutingOutcome;
import dev.headway.routing.policy.RoutingPolicy;
import dev.headway.routing.policy.RoutingRequest;
import dev.headway.routing.policy.Worker;
import dev.headway.routing.policy.WorkerLoad;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * What a router relies on in a {@link RoutingPolicy}, as JUnit 5 tests: extend it, say how a policy
 * is made, and name the class {@code …Test}.
 *
 * <pre>{@code
 * final class NearestTest extends RoutingPolicyContract {
 *   @Override
 *   protected RoutingPolicy policy(long seed) {
 *     return new Nearest();
 *   }
 * }
 * }</pre>
 *
 * <p>The policy is driven through random courses of requests, ends, and workers that come, drain,
 * report and go. What they find names its seed. Takes less than a second.
 */
public abstract class RoutingPolicyContract {

  private static final int STEPS = 3_000;

  /** For subclasses. */
  protected RoutingPolicyContract() {}

  /** Makes a policy; equal seeds make equal ones. Called many times. */
  protected abstract RoutingPolicy policy(long seed);

  @Test
  void shouldChooseOnlyWhatCouldBeChosen() {
    for (long seed = 1; seed <= 5; seed++) {
      final Course course = new Course(policy(seed), seed);

      course.run();

      assertFalse(course.choices.isEmpty(), "must choose: seed=" + seed);
    }
  }

  @Test
  void shouldChooseTheSameInEachRun() {
    final Course first = new Course(policy(7), 7);
    final Course second = new Course(policy(7), 7);

    first.run();
    second.run();

    assertEquals(first.choices, second.choices, "must choose the same again: seed=7");
  }

  @Test
  void shouldServeRequestsOfWhichNothingIsKnown() {
    final RequestRouter router = RequestRouter.builder(policy(1)).build();
    router.add(WorkerSpec.of("only", ""));

    for (int i = 0; i < 10; i++) {
      try (RouteLease lease = router.route(RoutingRequest.builder("r" + i).build())) {
        assertEquals("only", lease.worker().id());
      }
    }
  }

  @Test
  void shouldUseEveryWorkerOfManyDifferentRequests() {
    final RequestRouter router = RequestRouter.builder(policy(1)).build();
    for (int i = 0; i < 4; i++) {
      router.add(WorkerSpec.of("w" + i, ""));
    }
    final Random random = new Random(1);

    for (int i = 0; i < 400; i++) {
      router.route(
          RoutingRequest.builder("r" + i)
              .tokens(random.ints(100 + random.nextInt(900), 0, 50_000).toArray())
              .routingKey("key" + i)
              .nowNs(i * 100_000_000L)
              .build());
    }

    for (Worker each : router.workers()) {
      assertTrue(each.dispatched() > 0, "must be chosen for some of 400 requests: " + each.id());
    }
  }

  /** One random course. */
  private static final class Course {
    private final long seed;
    private final Random random;
    private final RequestRouter router;
    private final List<RouteLease> open = new ArrayList<>();
    private final List<String> choices = new ArrayList<>();
    private int nextWorker;

    private Course(RoutingPolicy policy, long seed) {
      this.seed = seed;
      random = new Random(seed);
      router = RequestRouter.builder(policy).build();
      add();
      add();
    }

    private void run() {
      for (int step = 0; step < STEPS; step++) {
        switch (random.nextInt(40)) {
          case 0 -> add();
          case 1 -> remove();
          case 2 -> router.drain(anyWorker().id());
          case 3, 4, 5 -> router.resume(anyWorker().id());
          case 6, 7, 8 ->
              router.report(
                  anyWorker().id(), new WorkerLoad(random.nextInt(9_999), 1, 2, 0.5, step));
          case 9, 10, 11, 12, 13, 14, 15, 16 -> end();
          case 17, 18, 19, 20 -> open.forEach(RouteLease::firstToken);
          default -> route(step);
        }
      }
      open.forEach(RouteLease::close);
      for (Worker each : router.workers()) {
        assertEquals(0, each.inFlight(), "left in flight: seed=" + seed + ", worker=" + each.id());
      }
    }

    private void route(int step) {
      boolean takesAny = false;
      for (Worker worker : router.workers()) {
        takesAny |= !worker.isDraining();
      }
      if (!takesAny) {
        return;
      }
      final RoutingRequest.Builder request =
          RoutingRequest.builder("r" + step).nowNs(step * 50_000_000L).maxTokens(10);
      switch (random.nextInt(3)) {
        case 0 -> request.tokens(random.ints(1 + random.nextInt(40), 0, 3).toArray());
        case 1 -> request.text("a😀b".repeat(random.nextInt(30)));
        default -> {}
      }
      if (random.nextBoolean()) {
        request.routingKey("key" + random.nextInt(10));
      }
      final RouteLease lease = router.route(request.build());
      final RoutingDecision decision = lease.decision();
      final String when = "seed=" + seed + ", step=" + step;
      assertNull(decision.refusal(decision.chosen()), "must not choose what was refused: " + when);
      assertNotEquals(RoutingBranch.NO_HEALTHY, decision.branch(), when);
      for (int place = 0; place < decision.workers().size(); place++) {
        final int matched = decision.matchedUnits(place);
        assertTrue(
            matched >= 0 && matched <= decision.promptUnits(),
            "must be in [0, promptUnits]: matchedUnits=" + matched + ", " + when);
      }
      choices.add(lease.worker().id() + " " + decision.branch());
      open.add(lease);
    }

    private void end() {
      if (!open.isEmpty()) {
        final RoutingOutcome[] outcomes = RoutingOutcome.values();
        open.remove(random.nextInt(open.size())).ended(outcomes[random.nextInt(outcomes.length)]);
      }
    }

    private void add() {
      if (router.workers().size() < 6) {
        router.add(WorkerSpec.of("w" + nextWorker++, ""));
      }
    }

    private void remove() {
      if (router.workers().size() > 1) {
        router.remove(anyWorker().id());
      }
    }

    private Worker anyWorker() {
      return router.workers().get(random.nextInt(router.workers().size()));
    }
  }
}
