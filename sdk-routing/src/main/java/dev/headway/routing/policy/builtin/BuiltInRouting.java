package dev.headway.routing.policy.builtin;

import dev.headway.api.policy.PolicyOptions;
import dev.headway.routing.policy.BestPicker;
import dev.headway.routing.policy.LatencyPredictor;
import dev.headway.routing.policy.RoutingBranch;
import dev.headway.routing.policy.RoutingContext;
import dev.headway.routing.policy.RoutingPicker;
import dev.headway.routing.policy.RoutingPolicy;
import dev.headway.routing.policy.RoutingPolicyProvider;
import dev.headway.routing.policy.RoutingRequest;
import dev.headway.routing.policy.ScoredPolicy;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The table of built-in policies. A description is {@code "what it does. Options: a=1, b=2."}, or
 * ends with {@code "No options."}.
 */
final class BuiltInRouting {

  private static final long DEFAULT_MAX_TOKENS = 1L << 22;

  private final List<RoutingPolicyProvider> table = new ArrayList<>();

  private BuiltInRouting() {
    byLoad();
    byKey();
    byPrefix();
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
        "The less loaded of two drawn at random. Options: by=reported (tokens reported and sent"
            + " since, if both report them, else requests in flight; also in-flight).",
        (options, context) ->
            picker(
                "power-of-two",
                new PowerOfTwoPicker(
                    context.seed(),
                    options.choice(
                        "by", PowerOfTwoPicker.Measure.REPORTED, PowerOfTwoPicker.Measure.class))));
    add(
        "least-load",
        "The fewest requests in flight for its weight. No options.",
        (options, context) -> picker("least-load", new BestPicker(RoutingBranch.LEAST_LOAD)));
  }

  private void byKey() {
    add(
        "prefix-hash",
        "The owner on a hash ring of the prompt's first tokens, unless it has too much load; then"
            + " the least load. Options: tokens=256, load-factor=1.25 (most load relative to the"
            + " mean), points=160 (of each worker on the ring).",
        (options, context) -> {
          final int tokens = options.integer("tokens", 256, 1, 1 << 20);
          return new RingPolicy(
              "prefix-hash",
              request -> prefixKey(request, tokens),
              RingPolicy.Overload.LEAST_LOAD,
              options.number("load-factor", 1.25, 0, 1e6),
              points(options));
        });
    add(
        "consistent-hashing",
        "The owner of the routing key on a hash ring; without a key the least load. Options:"
            + " load-factor=0 (most load relative to the mean, then the next on the ring; 0:"
            + " any), points=160 (of each worker on the ring).",
        (options, context) ->
            new RingPolicy(
                "consistent-hashing",
                request ->
                    request.routingKey() == null ? null : HashRing.hash(request.routingKey()),
                RingPolicy.Overload.NEXT_ON_RING,
                options.number("load-factor", 0, 0, 1e6),
                points(options)));
    add(
        "sticky",
        "The worker that the routing key had before; a new key gets the least load. Options:"
            + " max-idle-s=14400 (until a key is forgotten), max-keys=100000.",
        (options, context) ->
            new Sticky(
                options.whole("max-idle-s", 14_400, 1, 1L << 32) * 1_000_000_000L,
                options.integer("max-keys", 100_000, 1, 1 << 30)));
    add(
        "bucket",
        "A range of prompt lengths for each worker, equal in tokens; the least load when loads are"
            + " uneven. Options: interval-s=5 (between changes of the ranges), balance-abs=32,"
            + " balance-rel=1.0001 (uneven: loads differ by more than both).",
        (options, context) ->
            new LengthBuckets(
                options.whole("interval-s", 5, 1, 1L << 32) * 1_000_000_000L,
                options.number("balance-abs", 32, 0, 1e9),
                options.number("balance-rel", 1.0001, 1, 1e9)));
  }

  private void byPrefix() {
    add(
        "cache-aware",
        "The most prompt tokens saved less those pending there, from prompts sent before. Options:"
            + " threshold=0 (share of the prompt below which a match counts as none),"
            + " balance-abs=64, balance-rel=1.5 (when loads differ by more than both, only workers"
            + " near the least are chosen from), max-tokens=4194304 (remembered for each worker).",
        (options, context) ->
            new PrefixPolicy(
                "cache-aware",
                new PrefixMatches(null, maxTokens(options)),
                new CacheAware(
                    options.number("threshold", 0, 0, 1),
                    options.number("balance-abs", 64, 0, 1e9),
                    options.number("balance-rel", 1.5, 1, 1e9))));
    add(
        "kv-cost",
        "The least cost in KV blocks: to be computed, less those cached, and held. Options:"
            + " block-size=16, overlap-credit=1, prefill-scale=1, request-weight=0, temperature=0"
            + " (above 0 the choice is drawn), combination=sum (or product),"
            + " max-tokens=4194304 (remembered for each worker without KV events).",
        (options, context) ->
            new PrefixPolicy(
                "kv-cost",
                new PrefixMatches(context.prefixIndex(), maxTokens(options)),
                new KvCost(
                    new KvCost.Options(
                        options.integer("block-size", 16, 1, 1 << 20),
                        options.number("overlap-credit", 1, 0, 1e6),
                        options.number("prefill-scale", 1, 0, 1e6),
                        options.number("request-weight", 0, 0, 1e6),
                        options.number("temperature", 0, 0, 1e6),
                        options.choice(
                            "combination", KvCost.Combination.SUM, KvCost.Combination.class)),
                    context.seed())));
    add(
        "precise-prefix",
        "The cached share of the prompt, as engines publish it, against the queue. Options:"
            + " prefix-weight=3, queue-weight=2.",
        (options, context) -> {
          if (context.prefixIndex() == null) {
            throw new IllegalArgumentException(
                "routing policy 'precise-prefix' needs the KV events of the workers; 'cache-aware'"
                    + " does without");
          }
          return new PrefixPolicy(
              "precise-prefix",
              new PrefixMatches(context.prefixIndex(), DEFAULT_MAX_TOKENS),
              new PrecisePrefix(
                  options.number("prefix-weight", 3, 0, 1e6),
                  options.number("queue-weight", 2, 0, 1e6)));
        });
    add(
        "predicted-latency",
        "The least predicted time to the first token. Options: max-tokens=4194304 (remembered for"
            + " each worker without KV events).",
        (options, context) -> {
          final LatencyPredictor predictor = context.latency();
          if (predictor == null) {
            throw new IllegalArgumentException(
                "routing policy 'predicted-latency' needs a model of step times, as 'headway fit'"
                    + " writes them");
          }
          return new PrefixPolicy(
              "predicted-latency",
              new PrefixMatches(context.prefixIndex(), maxTokens(options)),
              new PredictedLatency(predictor));
        });
  }

  private static int points(PolicyOptions options) {
    return options.integer("points", 160, 1, 1 << 16);
  }

  private static long maxTokens(PolicyOptions options) {
    return options.whole("max-tokens", DEFAULT_MAX_TOKENS, 1, 1L << 40);
  }

  private static @Nullable Long prefixKey(RoutingRequest request, int tokens) {
    if (request.hasTokens()) {
      return HashRing.hash(request.tokens(), Math.min(tokens, request.promptUnits()));
    }
    final String text = request.text();
    if (text == null) {
      return null;
    }
    final int characters = Math.min(4 * tokens, request.promptUnits());
    return HashRing.hash(text.substring(0, text.offsetByCodePoints(0, characters)));
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
