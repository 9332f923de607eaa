package dev.headway.scheduler.policy;

import dev.headway.api.policy.CapacityPolicy;
import dev.headway.api.policy.Policies;
import dev.headway.api.policy.PolicyCatalog;
import dev.headway.api.policy.PolicyContext;
import dev.headway.api.policy.PolicyOptions;
import dev.headway.api.policy.PolicyProvider;
import dev.headway.api.policy.QueueOrder;
import dev.headway.api.policy.ServiceLedger;
import dev.headway.api.policy.VictimPolicy;
import dev.headway.scheduler.policy.capacity.NewTokenRatio;
import dev.headway.scheduler.policy.capacity.NoEvict;
import dev.headway.scheduler.policy.capacity.Optimistic;
import dev.headway.scheduler.policy.order.AttainableGate;
import dev.headway.scheduler.policy.order.AttainableGate.Unattainable;
import dev.headway.scheduler.policy.order.ByPriority;
import dev.headway.scheduler.policy.order.EarliestDeadline;
import dev.headway.scheduler.policy.order.Fcfs;
import dev.headway.scheduler.policy.order.HighestResponseRatio;
import dev.headway.scheduler.policy.order.LeastSlack;
import dev.headway.scheduler.policy.order.LongestOutput;
import dev.headway.scheduler.policy.order.LongestPrefixMatch;
import dev.headway.scheduler.policy.order.RandomOrder;
import dev.headway.scheduler.policy.order.RunningAdapters;
import dev.headway.scheduler.policy.order.SharedPrefixes;
import dev.headway.scheduler.policy.order.ShortestJob;
import dev.headway.scheduler.policy.order.ShortestPrefill;
import dev.headway.scheduler.policy.order.VirtualTokenCounter;
import dev.headway.scheduler.policy.tokens.EqualProgress;
import dev.headway.scheduler.policy.tokens.ItlBudget;
import dev.headway.scheduler.policy.tokens.LinearStepTime;
import dev.headway.scheduler.policy.victim.LastAdmitted;
import dev.headway.scheduler.policy.victim.VictimBy;
import java.util.ArrayList;
import java.util.List;

/**
 * The policies that come with the scheduler: name, description and how each is made. A description
 * is {@code "Decision: what it does. Options: a=1, b=2."}, or ends with {@code "No options."}; the
 * documentation's tables are made of it. Immutable once made.
 */
public final class BuiltInPolicies implements PolicyCatalog {

  private static final int LARGEST_WINDOW = 1 << 20;

  /** Requests whose prefixes are compared in a step that admits: 4,096 take milliseconds. */
  private static final int LARGEST_EXAMINED = 4_096;

  private final List<PolicyProvider> table = new ArrayList<>();

  /** Makes the table, and none of its policies. */
  public BuiltInPolicies() {
    ordersByKey();
    ordersByWork();
    ordersByLocality();
    victims();
    capacities();
    tokens();
  }

  @Override
  public List<PolicyProvider> policies() {
    return List.copyOf(table);
  }

  private void ordersByKey() {
    add(
        "earliest-deadline",
        "Order and gate: the earliest ttftTarget or timeout first. Options:"
            + " default-target-ms=60000 (for requests without either), unattainable=reject (what"
            + " becomes of one that cannot be in time; also defer, admit), by a step-time model.",
        (options, context) ->
            gated(options, order(new EarliestDeadline(defaultTargetNs(options)))));
    add("fcfs", "Order: by arrival. No options.", (options, context) -> order(new Fcfs()));
    add(
        "longest-output-first",
        "Order: the most maxTokens first; starves short requests. No options.",
        (options, context) -> order(new LongestOutput()));
    add(
        "priority",
        "Order: by priority, the smallest first, then by arrival. No options.",
        (options, context) -> order(new ByPriority()));
    add(
        "random",
        "Order: shuffled, the same for the same seed. Options: seed=0.",
        (options, context) ->
            order(new RandomOrder(options.whole("seed", 0, Long.MIN_VALUE, Long.MAX_VALUE))));
    add(
        "shortest-job",
        "Order: the shortest prompt and maxTokens first, ageing. Options: output-weight=1,"
            + " ageing=1000 (tokens per second waited; 0 starves).",
        (options, context) ->
            order(new ShortestJob(options.number("output-weight", 1, 0, 1e6), ageing(options))));
  }

  private void ordersByWork() {
    add(
        "hrrn",
        "Order: the most prompt tokens of others waited for per own uncached token first;"
            + " no request starves. Options: window=128 (requests scored), dedup-check=32,"
            + " dedup-share=32 (as in longest-prefix-match).",
        (options, context) ->
            orderWithLedger(new HighestResponseRatio(window(options, 128), shared(options))));
    add(
        "least-slack",
        "Order and gate: the least time to spare before ttftTarget or timeout first. Options:"
            + " as earliest-deadline, and window=128 (requests scored).",
        (options, context) ->
            gated(
                options,
                orderWithLedger(new LeastSlack(window(options, 128), defaultTargetNs(options)))));
    add(
        "shortest-prefill",
        "Order: the fewest uncached tokens first, ageing. Options: ageing=1000 (tokens per"
            + " second waited; 0 starves), window=128 (requests scored), dedup-check=32,"
            + " dedup-share=32 (as in longest-prefix-match).",
        (options, context) ->
            order(new ShortestPrefill(window(options, 128), ageing(options), shared(options))));
    add(
        "vtc",
        "Order: weighted fairness between tenants by tokens served. Options: wp=1 (cost of a"
            + " prompt token), wq=2 (of an output), tenant.<name>=1 (a tenant's share).",
        (options, context) ->
            orderWithLedger(
                new VirtualTokenCounter(
                    options.number("wp", 1, 0, 1e9),
                    options.number("wq", 2, 0, 1e9),
                    options.numbers("tenant.", 1e-6, 1e6))));
  }

  private void ordersByLocality() {
    add(
        "longest-prefix-match",
        "Order: the most cached prefix tokens first; by arrival when many wait. Options:"
            + " fcfs-above=128 (waiting requests, at most 4096), dedup-check=32 (most cached tokens of a request"
            + " that may be held back), dedup-share=32 (tokens shared with an earlier one; 0: off).",
        (options, context) ->
            order(
                new LongestPrefixMatch(
                    options.integer("fcfs-above", 128, 1, LARGEST_EXAMINED), shared(options))));
    add(
        "routing-key",
        "Order: the LoRA adapter that most running requests use first. No options.",
        (options, context) -> order(new RunningAdapters()));
  }

  private void victims() {
    add(
        "cost-aware",
        "Victim: the most blocks per token to compute again, less progress:"
            + " blocks/tokens*(1-outputs/max). No options.",
        (options, context) -> victim(VictimBy.COST));
    add(
        "fewest-outputs",
        "Victim: the running request with the fewest outputs, then the longest prompt. No options.",
        (options, context) -> victim(VictimBy.FEWEST_OUTPUTS));
    add(
        "last-admitted",
        "Victim: the running request that was admitted last. No options.",
        (options, context) -> victim(new LastAdmitted()));
    add(
        "least-computed",
        "Victim: the running request with the fewest computed tokens. No options.",
        (options, context) -> victim(VictimBy.LEAST_COMPUTED));
    add(
        "most-kv",
        "Victim: the running request with the most KV blocks. No options.",
        (options, context) -> victim(VictimBy.MOST_KV));
  }

  private void capacities() {
    add(
        "new-token-ratio",
        "Capacity: keeps blocks for a share of the outputs to come, which sinks until a request"
            + " is preempted. Options: init=0.7, floor-factor=0.14 (of init), decay-steps=600,"
            + " clip=4096 (tokens).",
        BuiltInPolicies::newTokenRatio);
    add(
        "no-evict",
        "Capacity: reserves blocks to completion, so that no request is preempted. No options.",
        (options, context) -> capacity(new NoEvict(context.config(), context.kvCache())));
    add(
        "optimistic",
        "Capacity: keeps no blocks free for running requests. No options.",
        (options, context) -> capacity(new Optimistic()));
  }

  private void tokens() {
    add(
        "equal-progress",
        "Chunking: prompts share a step's tokens evenly, in units. Options: unit=<block size>"
            + " (tokens), newcomers=1 (waiting prompts that shares are kept for).",
        BuiltInPolicies::equalProgress);
    add(
        "token-budget",
        "Token budget: prompts get what keeps steps with decodes within a target, as predicted"
            + " by a step-time model (one that learns is added unless given). Options:"
            + " itl-target-ms=50, min-prefill-tokens=<block size>.",
        BuiltInPolicies::itlBudget);
    add(
        "linear",
        "Step time: step-us + prefill-token-us*p + decode-us*n + context-token-us*c, learned"
            + " from the steps unless one of these is given (the others are then 0). Options:"
            + " step-us, prefill-token-us, decode-us, context-token-us, forgetting=0.998.",
        BuiltInPolicies::linearStepTime);
  }

  private void add(String name, String description, Recipe recipe) {
    table.add(new BuiltIn(name, description, recipe));
  }

  private static Policies.Builder order(QueueOrder order) {
    return Policies.builder().order(order);
  }

  private static <P extends QueueOrder & ServiceLedger> Policies.Builder orderWithLedger(P policy) {
    return order(policy).ledger(policy);
  }

  private static Policies.Builder victim(VictimPolicy victim) {
    return Policies.builder().victim(victim);
  }

  private static Policies.Builder capacity(CapacityPolicy capacity) {
    return Policies.builder().capacity(capacity);
  }

  private static int window(PolicyOptions options, int fallback) {
    return options.integer("window", fallback, 1, LARGEST_WINDOW);
  }

  private static SharedPrefixes shared(PolicyOptions options) {
    return new SharedPrefixes(
        options.integer("dedup-check", 32, 0, Integer.MAX_VALUE),
        options.integer("dedup-share", 32, 0, Integer.MAX_VALUE));
  }

  private static double ageing(PolicyOptions options) {
    return options.number("ageing", 1000, 0, 1e9);
  }

  private static long defaultTargetNs(PolicyOptions options) {
    return options.whole("default-target-ms", 60_000, 1, 1L << 40) * 1_000_000;
  }

  /** Adds a gate and its ledger to an order by deadline, unless all are to be admitted. */
  private static Policies.Builder gated(PolicyOptions options, Policies.Builder policies) {
    final Unattainable unattainable =
        options.choice("unattainable", Unattainable.REJECT, Unattainable.class);
    if (unattainable == Unattainable.ADMIT) {
      return policies;
    }
    final AttainableGate gate = new AttainableGate(unattainable);
    return policies.gate(gate).ledger(gate);
  }

  private static Policies.Builder newTokenRatio(PolicyOptions options, PolicyContext context) {
    final double init = options.number("init", 0.7, 0, 1);
    final double floor = init * options.number("floor-factor", 0.14, 0, 1);
    final int decaySteps = options.integer("decay-steps", 600, 1, Integer.MAX_VALUE);
    final int clip = options.integer("clip", 4096, 1, Integer.MAX_VALUE);
    return capacity(new NewTokenRatio(init, floor, decaySteps, clip));
  }

  private static Policies.Builder equalProgress(PolicyOptions options, PolicyContext context) {
    final int unit = options.integer("unit", context.kvCache().blockSize(), 1, Integer.MAX_VALUE);
    final int newcomers = options.integer("newcomers", 1, 0, Integer.MAX_VALUE);
    return Policies.builder().chunking(new EqualProgress(unit, newcomers));
  }

  private static Policies.Builder itlBudget(PolicyOptions options, PolicyContext context) {
    final double targetMs = options.number("itl-target-ms", 50, 0.001, 1e9);
    final int minPrefill =
        options.integer("min-prefill-tokens", context.kvCache().blockSize(), 1, Integer.MAX_VALUE);
    return Policies.builder().budget(new ItlBudget((long) (targetMs * 1e6), minPrefill));
  }

  private static Policies.Builder linearStepTime(PolicyOptions options, PolicyContext context) {
    final boolean given =
        options.has("step-us")
            || options.has("prefill-token-us")
            || options.has("decode-us")
            || options.has("context-token-us");
    final double a = options.number("step-us", 0, 0, 1e12);
    final double b = options.number("prefill-token-us", 0, 0, 1e12);
    final double c = options.number("decode-us", 0, 0, 1e12);
    final double d = options.number("context-token-us", 0, 0, 1e12);
    final double forgetting = options.number("forgetting", 0.998, 0.5, 1);
    return Policies.builder()
        .stepTime(given ? LinearStepTime.fixed(a, b, c, d) : LinearStepTime.learning(forgetting));
  }

  /** Reads the options of a policy and makes it. */
  private interface Recipe {

    Policies.Builder make(PolicyOptions options, PolicyContext context);
  }

  /** A row of the table. */
  private record BuiltIn(String name, String description, Recipe recipe) implements PolicyProvider {

    @Override
    public Policies create(PolicyContext context) {
      final PolicyOptions options = PolicyOptions.of(name, context.options());
      final Policies policies = recipe.make(options, context).build();
      options.requireNoOthers();
      return policies;
    }
  }
}
