package dev.headway.testkit.policy;

import dev.headway.api.policy.DynamicOrder;
import dev.headway.api.policy.Policies;
import dev.headway.api.policy.ServiceLedger;
import dev.headway.testkit.FakeRequest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;

/** The order of the first candidates does not depend on the order of those behind them. */
final class TailCheck implements Check {

  private static final int CANDIDATES = 40;
  private static final int HEAD = 12;

  @Override
  public String name() {
    return "indifference to the tail";
  }

  @Override
  public void run(Supplier<Policies> policies, long seed, Findings findings) {
    final List<FakeRequest> candidates = candidates(seed);
    final List<FakeRequest> shuffled = new ArrayList<>(candidates);
    Collections.shuffle(shuffled.subList(HEAD, CANDIDATES), new Random(seed));
    final double[] scores = scores(policies.get(), candidates, candidates, seed, findings);
    final double[] others = scores(policies.get(), candidates, shuffled, seed, findings);
    for (int a = 0; a < HEAD; a++) {
      for (int b = a + 1; b < HEAD; b++) {
        if (Double.compare(scores[a], scores[b]) != Double.compare(others[a], others[b])) {
          findings.add(
              name(), seed, "the order of candidates " + a + " and " + b + " must stay the same");
          return;
        }
      }
    }
  }

  private static List<FakeRequest> candidates(long seed) {
    final Random random = new Random(seed);
    final RandomLoad load = new RandomLoad(seed);
    final List<FakeRequest> candidates = new ArrayList<>();
    for (int number = 0; number < CANDIDATES; number++) {
      final int promptTokens = 1 + random.nextInt(300);
      candidates.add(
          FakeRequest.of(number, load.next(promptTokens, 1 + random.nextInt(100)))
              .arrived(1_000_000L * number, 1_000_000L * number)
              .cachedPrefixTokens(random.nextInt(promptTokens)));
    }
    return candidates;
  }

  private static double[] scores(
      Policies policies,
      List<FakeRequest> arrivals,
      List<FakeRequest> candidates,
      long seed,
      Findings findings) {
    final AskedPolicies asked = new AskedPolicies(policies, findings, seed);
    if (!(policies.order() instanceof DynamicOrder)) {
      return new double[CANDIDATES];
    }
    for (ServiceLedger ledger : policies.ledgers()) {
      arrivals.forEach(request -> asked.tell(() -> ledger.onQueued(request)));
    }
    final SampleStep step =
        SampleStep.of(PolicyContract.CONFIG, PolicyContract.KV_CACHE.blockSize(), 64)
            .waiting(CANDIDATES)
            .nowNs(1_000_000_000)
            .build();
    return asked.ranks(candidates, step);
  }
}
