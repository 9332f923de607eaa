package dev.headway.faultsim.simulation;

import dev.headway.api.policy.AdmissionGate;
import dev.headway.api.policy.Policies;
import dev.headway.api.policy.PolicySpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Draws policies of every kind: built-in ones by name, and those of users. */
final class PolicyDraw {

  private static final String[] ORDERS = {
    "fcfs",
    "priority",
    "shortest-job",
    "shortest-job(ageing=0)",
    "longest-output-first",
    "random",
    "earliest-deadline",
    "earliest-deadline(unattainable=defer)",
    "earliest-deadline(unattainable=admit)",
    "least-slack",
    "least-slack(unattainable=defer,window=3)",
    "shortest-prefill",
    "shortest-prefill(window=2)",
    "longest-prefix-match",
    "longest-prefix-match(fcfs-above=3,dedup-check=4,dedup-share=2)",
    "hrrn",
    "hrrn(window=2)",
    "routing-key",
    "vtc",
    "vtc(wp=2,wq=1,tenant.a=3)"
  };
  private static final String[] VICTIMS = {
    "last-admitted", "least-computed", "fewest-outputs", "most-kv", "cost-aware"
  };
  private static final String[] CAPACITIES = {
    "optimistic", "new-token-ratio", "new-token-ratio(init=1,clip=4)", "no-evict"
  };
  private static final String[] CHUNKINGS = {
    "equal-progress", "equal-progress(unit=1,newcomers=3)", "equal-progress(unit=7)"
  };
  private static final String[] BUDGETS = {
    "token-budget(itl-target-ms=0.1)",
    "token-budget(itl-target-ms=2,min-prefill-tokens=1)",
    "token-budget(itl-target-ms=1)+linear(step-us=500,decode-us=50)"
  };

  private final long seed;
  private final Set<Feature> on;
  private final Dice dice = new Dice();
  private final List<String> text = new ArrayList<>();
  private final Map<String, Map<String, String>> names = new LinkedHashMap<>();

  PolicyDraw(long seed, Set<Feature> on) {
    this.seed = seed;
    this.on = on;
  }

  /** The policies with names, with their options. */
  Map<String, Map<String, String>> named() {
    name(Feature.NAMED_ORDER, ORDERS);
    name(Feature.NAMED_VICTIM, VICTIMS);
    name(Feature.NAMED_CAPACITY, CAPACITIES);
    name(Feature.NAMED_CHUNKING, CHUNKINGS);
    name(Feature.NAMED_BUDGET, BUDGETS);
    return names;
  }

  private void name(Feature feature, String[] choices) {
    if (on.contains(feature)) {
      final String spec = dice.start(seed, feature.name(), 1).pick(choices);
      text.add(spec);
      names.putAll(PolicySpec.parse(spec));
    }
  }

  /** The policies of a user for what no name decides; with faults if they are turned on. */
  Policies ofUser() {
    final boolean faulty =
        on.contains(Feature.NONSENSE_POLICIES) || on.contains(Feature.THROWING_POLICIES);
    final boolean holding = on.contains(Feature.GATE_HOLDS) && !on.contains(Feature.NAMED_ORDER);
    if (!on.contains(Feature.USER_POLICIES) && !faulty && !holding) {
      return Policies.NONE;
    }
    final Dice answers = new Dice().start(seed, "answers of policies", 0);
    final UserPolicies user = new UserPolicies(answers::below);
    final Policies.Builder policies = Policies.builder();
    if (holding && !on.contains(Feature.USER_POLICIES) && !faulty) {
      return policies.gate(holdingGate(user)).build();
    }
    final Dice drawn = dice.start(seed, Feature.USER_POLICIES.name(), 1);
    final int kinds = drawn.below(1 << 6);
    final int ways = drawn.below(1 << 6);
    final int victim = drawn.below(UserPolicies.VICTIM_KINDS);
    if ((kinds & 1) > 0 && !on.contains(Feature.NAMED_ORDER)) {
      final boolean grouped = (ways & 32) > 0;
      policies.order(
          (ways & 1) > 0
              ? UserPolicies.newestFirst()
              : grouped ? user.dicedGroups() : user.dicedOrder());
      text.add((ways & 1) > 0 ? "order: newest first" : grouped ? "order: groups" : "order: dice");
    }
    if ((kinds & 2) > 0 && !on.contains(Feature.NAMED_VICTIM)) {
      policies.victim(user.victim(victim));
      text.add("victim: " + victim);
    }
    if ((kinds & 4) > 0 && !on.contains(Feature.NAMED_CAPACITY)) {
      policies.capacity((ways & 4) > 0 ? UserPolicies.keepsAll() : user.dicedCapacity());
      text.add((ways & 4) > 0 ? "capacity: all" : "capacity: dice");
    }
    if ((kinds & 8) > 0 && !on.contains(Feature.NAMED_CHUNKING)) {
      policies.chunking((ways & 8) > 0 ? UserPolicies.smallestChunks() : user.dicedChunks());
      text.add((ways & 8) > 0 ? "chunks: one" : "chunks: dice");
    }
    if ((kinds & 16) > 0 && !on.contains(Feature.NAMED_ORDER)) { // an order may bring a gate
      policies.gate((ways & 16) > 0 ? UserPolicies.defersAll() : user.dicedGate());
      text.add((ways & 16) > 0 ? "gate: defer" : "gate: dice");
    }
    if (holding) {
      policies.gate(holdingGate(user));
    }
    if ((kinds & 32) > 0 && !on.contains(Feature.NAMED_BUDGET)) {
      policies.budget((ways & 32) > 0 ? UserPolicies.smallestBudget() : user.dicedBudget());
      text.add((ways & 32) > 0 ? "budget: one" : "budget: dice");
    }
    return faulty ? new FaultyPolicies(seed, on).inFrontOf(policies.build()) : policies.build();
  }

  private AdmissionGate holdingGate(UserPolicies user) {
    text.add("gate: holds");
    return user.holdingGate();
  }

  /** What was drawn, in words. */
  String text() {
    return String.join("+", text);
  }
}
