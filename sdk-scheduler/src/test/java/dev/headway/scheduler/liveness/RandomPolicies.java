package dev.headway.scheduler.liveness;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.policy.AdmissionGate;
import dev.headway.api.policy.CapacityPolicy;
import dev.headway.api.policy.ChunkPolicy;
import dev.headway.api.policy.DynamicOrder;
import dev.headway.api.policy.Policies;
import dev.headway.api.policy.PolicyContext;
import dev.headway.api.policy.PolicySpec;
import dev.headway.api.policy.QueueOrder;
import dev.headway.api.policy.StaticOrder;
import dev.headway.api.policy.TokenBudget;
import dev.headway.api.policy.VictimPolicy;
import dev.headway.scheduler.policy.PolicyLoader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Policies of every kind: the built-in ones by name, and the worst a user could write. All answers
 * are possible ones, so that the guard believes them.
 */
final class RandomPolicies {

  private static final List<String> ORDERS =
      List.of(
          "fcfs",
          "priority",
          "shortest-job",
          "longest-output-first",
          "random",
          "earliest-deadline",
          "least-slack",
          "shortest-prefill",
          "longest-prefix-match",
          "hrrn",
          "routing-key",
          "vtc");
  private static final List<String> VICTIMS =
      List.of("last-admitted", "least-computed", "fewest-outputs", "most-kv", "cost-aware");
  private static final List<String> CAPACITIES =
      List.of("optimistic", "new-token-ratio", "no-evict");

  private final Random random;
  private final Random answers;
  private final List<String> names = new ArrayList<>();
  private final Policies.Builder worst = Policies.builder();
  private final List<String> described = new ArrayList<>();

  RandomPolicies(Random random) {
    this.random = random;
    answers = new Random(random.nextLong());
  }

  /** What was drawn, for messages. */
  String description() {
    return String.join("+", described);
  }

  /** Draws policies; most decisions stay the default ones. */
  Policies draw(SchedulerConfig config, KvCacheShape shape) {
    switch (random.nextInt(4)) {
      case 0 -> named(ORDERS);
      case 1 -> worst.order(order());
      default -> {}
    }
    switch (random.nextInt(3)) {
      case 0 -> named(VICTIMS);
      case 1 -> worst.victim(victim());
      default -> {}
    }
    switch (random.nextInt(5)) {
      case 0 -> named(CAPACITIES);
      case 1 -> worst.capacity(capacity());
      default -> {}
    }
    switch (random.nextInt(6)) {
      case 0 -> named(List.of("equal-progress"));
      case 1 -> worst.chunking(chunking());
      default -> {}
    }
    if (random.nextInt(4) == 0
        && !names.contains("earliest-deadline")
        && !names.contains("least-slack")) {
      worst.gate(gate());
    }
    if (random.nextInt(5) == 0) {
      worst.budget(budget());
    }
    final Map<String, Map<String, String>> wanted = PolicySpec.parse(String.join("+", names));
    final Policies builtIn =
        new PolicyLoader(RandomPolicies.class.getClassLoader())
            .create(wanted, new PolicyContext(config, shape, Map.of()));
    described.addAll(names);
    return builtIn.and(worst.build());
  }

  private void named(List<String> choices) {
    names.add(choices.get(random.nextInt(choices.size())));
  }

  private <T> T described(String what, T policy) {
    described.add(what);
    return policy;
  }

  private QueueOrder order() {
    final StaticOrder newestFirst = request -> -request.number();
    final DynamicOrder dice =
        (candidates, scores, step) -> {
          for (int i = 0; i < candidates.size(); i++) {
            scores[i] = answers.nextInt(4);
          }
        };
    return random.nextBoolean()
        ? described("order: newest first", newestFirst)
        : described("order: dice", dice);
  }

  private VictimPolicy victim() {
    return switch (random.nextInt(5)) {
      case 0 -> described("victim: first", (needy, needed, step) -> 0);
      case 1 -> described("victim: stall", (needy, needed, step) -> VictimPolicy.STALL);
      case 2 ->
          described(
              "victim: most computed",
              (needy, needed, step) -> {
                int most = 0;
                for (int i = 1; i < step.runningCount(); i++) {
                  final int computed = step.running(i).computedTokens();
                  most = computed >= step.running(most).computedTokens() ? i : most;
                }
                return most;
              });
      case 3 ->
          described(
              "victim: needy",
              (needy, needed, step) -> {
                int index = 0;
                while (step.running(index) != needy) {
                  index++;
                }
                return index;
              });
      default ->
          described(
              "victim: dice",
              (needy, needed, step) -> answers.nextInt(step.runningCount() + 1) - 1);
    };
  }

  private CapacityPolicy capacity() {
    return random.nextBoolean()
        ? described("capacity: all", (candidate, cached, tokens, step) -> step.usableBlocks())
        : described(
            "capacity: dice",
            (candidate, cached, tokens, step) -> answers.nextInt(step.usableBlocks()));
  }

  private ChunkPolicy chunking() {
    return random.nextBoolean()
        ? described("chunk: one", (request, wanted, step) -> 1)
        : described("chunk: dice", (request, wanted, step) -> 1 + answers.nextInt(wanted));
  }

  private AdmissionGate gate() {
    return random.nextBoolean()
        ? described("gate: defer", (request, step) -> AdmissionGate.Verdict.DEFER)
        : described(
            "gate: dice", (request, step) -> AdmissionGate.Verdict.values()[answers.nextInt(2)]);
  }

  private TokenBudget budget() {
    return random.nextBoolean()
        ? described("budget: one", step -> 1)
        : described("budget: dice", step -> 1 + answers.nextInt(step.tokensLeft()));
  }
}
