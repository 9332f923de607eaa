package dev.headway.routing.policy.builtin;

import dev.headway.api.policy.PolicyOptions;
import dev.headway.routing.policy.BestPicker;
import dev.headway.routing.policy.RoutingBranch;
import dev.headway.routing.policy.RoutingContext;
import dev.headway.routing.policy.RoutingPicker;
import dev.headway.routing.policy.RoutingPolicy;
import dev.headway.routing.policy.RoutingPolicyProvider;
import dev.headway.routing.policy.ScoredPolicy;
import java.util.ArrayList;
import java.util.List;

/**
 * The table of built-in policies. A description is {@code "what it does. Options: a=1, b=2."}, or
 * ends with {@code "No options."}.
 */
final class BuiltInRouting {

  private final List<RoutingPolicyProvider> table = new ArrayList<>();

  private BuiltInRouting() {
    byLoad();
  }

  static List<RoutingPolicyProvider> providers() {
    return new BuiltInRouting().table;
  }

  private void byLoad() {
    add(
        "random",
        "Any worker, all equally likely. No options.",
        (options, context) -> picker("random", new RandomPicker(context.seed())));
    add(
        "round-robin",
        "The workers in turn. No options.",
        (options, context) -> picker("round-robin", new RoundRobinPicker()));
    add(
        "power-of-two",
        "The less loaded of two drawn at random: by reported tokens if both report them, else by"
            + " requests in flight. No options.",
        (options, context) -> picker("power-of-two", new PowerOfTwoPicker(context.seed())));
    add(
        "least-load",
        "The fewest requests in flight for its weight. No options.",
        (options, context) -> picker("least-load", new BestPicker(RoutingBranch.LEAST_LOAD)));
  }

  private static RoutingPolicy picker(String name, RoutingPicker picker) {
    return ScoredPolicy.builder(name).picker(picker).build();
  }

  private void add(String name, String description, Maker maker) {
    table.add(new BuiltIn(name, description, maker));
  }

  /** Makes a policy from options that it reads and a context. */
  @FunctionalInterface
  private interface Maker {
    RoutingPolicy make(PolicyOptions options, RoutingContext context);
  }

  private record BuiltIn(String name, String description, Maker maker)
      implements RoutingPolicyProvider {
    @Override
    public RoutingPolicy create(RoutingContext context) {
      final PolicyOptions options = PolicyOptions.of(name, context.options());
      final RoutingPolicy policy = maker.make(options, context);
      options.requireNoOthers();
      return policy;
    }
  }
}
