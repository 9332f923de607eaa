package dev.headway.testkit.policy;

import dev.headway.api.policy.DynamicOrder;
import dev.headway.api.policy.GroupOrder;
import dev.headway.api.policy.Policies;
import dev.headway.api.policy.ServiceLedger;
import dev.headway.api.policy.StaticOrder;
import dev.headway.api.request.RequestStatus;
import dev.headway.api.step.EntryKind;
import dev.headway.api.step.StepFeatures;
import dev.headway.testkit.FakePlan;
import dev.headway.testkit.FakeRequest;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Every decision of a step again and again on the same views; allocates nothing itself. Calls made
 * once per request happen once, but for its key.
 */
final class SteadyCalls {

  private static final int SEQS = 8;

  private final Policies policies;
  private final @Nullable DynamicOrder order;
  private final @Nullable StaticOrder fixed;
  private final @Nullable GroupOrder grouped;
  private final SampleStep step;
  private final SampleCandidates candidates;
  private final double[] scores = new double[SEQS];
  private final FakePlan plan = new FakePlan();
  private final StepFeatures features = new StepFeatures();

  SteadyCalls(Policies policies) {
    this.policies = policies;
    order = policies.order() instanceof DynamicOrder dynamic ? dynamic : null;
    fixed = policies.order() instanceof StaticOrder keys ? keys : null;
    grouped = policies.order() instanceof GroupOrder groups ? groups : null;
    final RandomLoad load = new RandomLoad(1);
    final FakeRequest[] running = new FakeRequest[SEQS];
    final List<FakeRequest> waiting = new ArrayList<>();
    for (int number = 0; number < SEQS; number++) {
      final boolean decodes = number % 2 == 0;
      running[number] =
          FakeRequest.of(number, load.next(100, 50))
              .status(RequestStatus.RUNNING)
              .outputTokens(number)
              .computedTokens(decodes ? 99 + number : 16 * number)
              .kvBlocks(7);
      waiting.add(FakeRequest.of(SEQS + number, load.next(90, 50)).cachedPrefixTokens(8 * number));
      plan.add(running[number], EntryKind.RUNNING, decodes ? 1 : 16, 1);
    }
    features.fill(plan);
    candidates = new SampleCandidates(waiting);
    step =
        SampleStep.of(PolicyContract.CONFIG, PolicyContract.KV_CACHE.blockSize(), 96)
            .running(running)
            .stepTime(policies.stepTime())
            .waiting(SEQS)
            .nowNs(1_000_000)
            .build();
    queue();
  }

  void run(int times) {
    for (int i = 0; i < times; i++) {
      rank();
      decide();
      serve();
    }
  }

  private void queue() {
    for (ServiceLedger ledger : policies.ledgers()) {
      for (int index = 0; index < SEQS; index++) {
        ledger.onQueued(candidates.request(index));
        ledger.onQueued(step.running(index));
        ledger.onAdmitted(step.running(index), 8);
      }
    }
  }

  private void rank() {
    if (order != null) {
      order.score(candidates, scores, step);
    }
    if (fixed != null) { // as after a preemption, which asks for the key again
      fixed.key(candidates.request(0));
    }
    if (grouped != null) {
      for (int index = 0; index < SEQS; index++) {
        scores[index] = grouped.score(grouped.group(candidates.request(index)));
      }
    }
  }

  private void decide() {
    if (policies.gate() != null) {
      policies.gate().admit(candidates.request(0), step);
    }
    if (policies.capacity() != null) {
      policies.capacity().onStep(step);
      policies.capacity().blocksToKeepFree(candidates.request(0), 8, 16, step);
      policies.capacity().onPreempted(step.running(0), step);
    }
    if (policies.budget() != null) {
      policies.budget().tokens(step);
    }
    if (policies.chunking() != null) {
      policies.chunking().onStep(step);
      policies.chunking().largestChunk(step.running(1), 84, step);
    }
    if (policies.victim() != null) {
      policies.victim().victim(step.running(0), 1, step);
    }
    if (policies.stepTime() != null) {
      policies.stepTime().observe(features, 2_000_000);
    }
  }

  private void serve() {
    for (int l = 0; l < policies.ledgers().size(); l++) {
      policies.ledgers().get(l).onServed(plan);
    }
  }
}
