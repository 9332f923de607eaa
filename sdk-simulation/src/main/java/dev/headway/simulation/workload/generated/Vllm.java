package dev.headway.simulation.workload.generated;

import dev.headway.simulation.workload.WorkloadRequest;
import dev.headway.simulation.workload.length.LengthDistribution;

/**
 * The data sets {@code random} and {@code prefix_repetition} of {@code vllm bench serve}, with its
 * defaults: 1,000 requests, seed 0, all at once, and at a fixed rate the exact mean.
 *
 * <p>The numbers are drawn by other generators, so that the requests are alike but not equal.
 * {@code prefix_repetition} draws the prefix of each request; vLLM uses each equally often.
 */
final class Vllm {
  static final String RANDOM = "random";
  static final String PREFIX_REPETITION = "prefix_repetition";

  private Vllm() {}

  /** Reads the options that every generated load has. */
  static GeneratedLoad.Builder common(
      String name, Options options, String rate, int usualRequests, long seed, boolean exact) {
    final boolean timed = options.has("seconds");
    final int requests = options.integer("requests", timed ? 10_000_000 : usualRequests);
    final GeneratedLoad.Builder builder =
        GeneratedLoad.builder(name)
            .requests(requests)
            .seed(options.whole("seed", seed))
            .tenants(options.integer("tenants", 0));
    if (timed) {
      builder.endSeconds(options.number("seconds", 0));
    } else {
      options.text("seconds"); // so that the list of options has it
    }
    return builder.arrivals(ArrivalForms.read(options, rate, exact && !timed, requests));
  }

  static GeneratedLoad random(Options options) {
    final GeneratedLoad.Builder builder = common(RANDOM, options, "inf", 1_000, 0, true);
    final double ratio = options.number("range-ratio", 0);
    if (!(ratio >= 0 && ratio < 1)) {
      throw new IllegalArgumentException("range-ratio must be in [0, 1): range-ratio=" + ratio);
    }
    final int prefix = options.integer("prefix-len", 0);
    return builder
        .input(around(options.integer("input-len", 1_024), ratio))
        .output(around(options.integer("output-len", 128), ratio))
        .prefixes(prefix == 0 ? 0 : 1, prefix)
        .build();
  }

  static GeneratedLoad prefixRepetition(Options options) {
    final GeneratedLoad.Builder builder = common(PREFIX_REPETITION, options, "inf", 1_000, 0, true);
    return builder
        .input(LengthDistribution.constant(options.integer("suffix-len", 256)))
        .output(LengthDistribution.constant(options.integer("output-len", 128)))
        .prefixes(options.integer("num-prefixes", 10), options.integer("prefix-len", 256))
        .build();
  }

  /** Evenly from {@code length * (1 - ratio)} to {@code length * (1 + ratio)}. */
  private static LengthDistribution around(int length, double ratio) {
    final double low = StrictMath.floor(length * (1 - ratio));
    final double high = StrictMath.ceil(length * (1 + ratio));
    return LengthDistribution.uniform(
        (int) Math.max(Math.min(1, length), low), (int) Math.min(WorkloadRequest.MAX_TOKENS, high));
  }
}
