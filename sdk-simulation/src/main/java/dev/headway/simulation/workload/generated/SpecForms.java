package dev.headway.simulation.workload.generated;

import dev.headway.simulation.workload.WorkloadRequest;
import dev.headway.simulation.workload.arrival.Gaps;
import dev.headway.simulation.workload.length.LengthDistribution;
import java.util.HashMap;
import java.util.Map;

/** Gaps and lengths as BLIS's workload spec writes them. */
final class SpecForms {
  private SpecForms() {}

  static Gaps gaps(SpecNode arrival) {
    final String process = arrival.text("process", "");
    final double variation = arrival.number("cv", 1);
    arrival.refuse("give cv", "shape", "scale");
    arrival.requireNoOthers();
    return switch (process) {
      case "poisson" -> Gaps.exponential();
      case "constant" -> Gaps.constant();
      case "gamma" -> arrival.at(() -> Gaps.gamma(variation));
      case "weibull" -> arrival.at(() -> Gaps.weibull(variation));
      default -> throw arrival.wrong("process", "must be one of poisson, gamma, weibull, constant");
    };
  }

  static LengthDistribution lengths(SpecNode distribution) {
    final String type = distribution.text("type", "");
    distribution.refuse("give params", "file");
    final SpecNode params = distribution.requiredChild("params");
    final LengthDistribution lengths =
        switch (type) {
          case "gaussian" -> gaussian(params);
          case "exponential" ->
              params.at(() -> LengthDistribution.exponential(params.number("mean")));
          case "lognormal" -> clipped(params, logNormal(params));
          case "pareto_lognormal" -> clipped(params, mixture(params));
          case "constant" -> constant(params);
          case "empirical" -> empirical(params);
          default ->
              throw distribution.wrong(
                  "type",
                  "must be one of gaussian, exponential, lognormal, pareto_lognormal, constant,"
                      + " empirical");
        };
    params.requireNoOthers();
    distribution.requireNoOthers();
    return lengths;
  }

  private static LengthDistribution gaussian(SpecNode params) {
    final double mean = params.number("mean");
    final double deviation = params.number("std_dev");
    final int min = tokens(params, "min");
    final int max = tokens(params, "max");
    return params.at(() -> LengthDistribution.normal(mean, deviation, min, max));
  }

  private static LengthDistribution logNormal(SpecNode params) {
    final double mu = params.number("mu");
    final double sigma = params.number("sigma");
    return params.at(() -> LengthDistribution.logNormal(mu, sigma));
  }

  private static LengthDistribution mixture(SpecNode params) {
    final double alpha = params.number("alpha");
    final double least = params.number("xm");
    final double mu = params.number("mu");
    final double sigma = params.number("sigma");
    final double share = params.number("mix_weight");
    return params.at(() -> LengthDistribution.paretoLogNormal(alpha, least, mu, sigma, share));
  }

  private static LengthDistribution clipped(SpecNode params, LengthDistribution lengths) {
    final boolean bounded = params.has("min") || params.has("max");
    final int min = params.has("min") ? tokens(params, "min") : 1;
    final int max = params.has("max") ? tokens(params, "max") : WorkloadRequest.MAX_TOKENS;
    return bounded ? params.at(() -> lengths.clipped(min, max)) : lengths;
  }

  private static LengthDistribution constant(SpecNode params) {
    final int value = tokens(params, "value");
    return LengthDistribution.constant(value);
  }

  private static LengthDistribution empirical(SpecNode params) {
    final Map<Integer, Double> weights = new HashMap<>();
    for (String key : params.keys()) {
      if (!key.matches("\\d{1,8}")) {
        throw params.wrong(key, "must be a number of tokens");
      }
      weights.put(Math.max(1, Integer.parseInt(key)), params.number(key));
    }
    return params.at(() -> LengthDistribution.empirical(weights));
  }

  /** As in BLIS, less than one token is one. */
  private static int tokens(SpecNode params, String key) {
    if (!params.has(key)) {
      throw params.wrong(key, "must be given");
    }
    return (int) Math.max(1, params.integer(key, 0, 0, WorkloadRequest.MAX_TOKENS));
  }
}
