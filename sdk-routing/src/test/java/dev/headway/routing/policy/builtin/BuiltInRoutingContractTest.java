package dev.headway.routing.policy.builtin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.routing.policy.LatencyPredictor;
import dev.headway.routing.policy.RoutingContext;
import dev.headway.routing.policy.RoutingPolicy;
import dev.headway.routing.policy.WorkerPrefixes;
import dev.headway.routing.testkit.RoutingPolicyContract;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class BuiltInRoutingContractTest {

  private static final RoutingPolicies POLICIES =
      new RoutingPolicies(BuiltInRoutingContractTest.class.getClassLoader());
  private static final LatencyPredictor LINEAR =
      (worker, queued, running, prompt) -> 1e6 + 20e3 * (queued + prompt) + 1e5 * running;

  /** Believes that the first worker has the first half of everything. */
  private static final WorkerPrefixes HALF =
      (request, candidates, matched) -> {
        matched[0] = candidates.get(0).index() % 4 == 0 ? request.promptUnits() / 2 : 0;
      };

  @Test
  void shouldBeTestedEachByItsName() {
    final Set<String> tested = new TreeSet<>();
    for (Class<?> each : BuiltInRoutingContractTest.class.getDeclaredClasses()) {
      if (each.isAnnotationPresent(Nested.class)) {
        tested.add(hyphenated(each.getSimpleName()));
      }
    }

    assertThat(tested).isEqualTo(new TreeSet<>(POLICIES.names()));
  }

  @Nested
  class RandomChoice extends Each {}

  @Nested
  class RoundRobin extends Each {}

  @Nested
  class PowerOfTwo extends Each {}

  @Nested
  class LeastLoad extends Each {}

  @Nested
  class PrefixHash extends Each {}

  @Nested
  class ConsistentHashing extends Each {}

  @Nested
  class StickyChoice extends Each {}

  @Nested
  class BucketChoice extends Each {}

  @Nested
  class CacheAwareChoice extends Each {}

  @Nested
  class KvCostChoice extends Each {}

  @Nested
  class PrecisePrefixChoice extends Each {}

  @Nested
  class PredictedLatencyChoice extends Each {}

  /** One policy, named by its class. */
  abstract static class Each extends RoutingPolicyContract {
    @Override
    protected RoutingPolicy policy(long seed) {
      return POLICIES.create(
          hyphenated(getClass().getSimpleName()), new RoutingContext(Map.of(), seed, HALF, LINEAR));
    }
  }

  private static String hyphenated(String name) {
    return name.replace("Choice", "")
        .replaceAll("(?<=[a-z])(?=[A-Z])", "-")
        .toLowerCase(Locale.ROOT);
  }
}
