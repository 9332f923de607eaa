package dev.headway.simulation.calibrate;

import java.util.LinkedHashMap;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/** A calibration as JSON, in our shape or in that of BLIS. Stateless. */
public final class CalibrationJson {

  private static final JsonMapper JSON = JsonMapper.shared();
  private static final double[] SHARES = {0.5, 0.9, 0.95, 0.99};
  private static final double NS_PER_MICRO = 1e3;

  private CalibrationJson() {}

  /** In our shape; times are nanoseconds. */
  public static String of(Calibration calibration) {
    final Map<String, Object> root = new LinkedHashMap<>();
    root.put("format", "headway-calibration");
    root.put("schema_version", 1);
    root.put("matched", calibration.pairs().size());
    root.put("matched_by", calibration.isById() ? "request_id" : "order of arrival");
    root.put("different_lengths", calibration.unlike());
    root.put("measured", run(calibration.measured()));
    root.put("simulated", run(calibration.simulated()));
    for (LatencyMetric metric : LatencyMetric.values()) {
      root.put(metric.label(), ours(calibration.metric(metric)));
    }
    final Calibration.FirstTokenTerms terms = calibration.firstTokenTerms();
    final Map<String, Object> first = new LinkedHashMap<>();
    first.put("requests", terms.requests());
    first.put("constant_ns", terms.constantNs());
    first.put("per_prompt_token_ns", terms.perTokenNs());
    root.put("first_token_error_at_short_queues", first);
    if (calibration.firstSteps().count() > 0) {
      root.put("without_first_of_kind", withoutFirst(calibration));
    }
    final Map<String, Object> queue = new LinkedHashMap<>();
    queue.put("span_ns", calibration.spanNs());
    queue.put("measured", calibration.queue(calibration.measured()));
    queue.put("simulated", calibration.queue(calibration.simulated()));
    root.put("waiting_for_first_token", queue);
    return text(root);
  }

  private static Map<String, Object> withoutFirst(Calibration calibration) {
    final Map<String, Object> json = new LinkedHashMap<>();
    json.put("steps", calibration.firstSteps().count());
    json.put("excess_ns", calibration.firstSteps().excessNs());
    json.put("is_guessed", calibration.firstSteps().isGuessed());
    calibration
        .withoutFirstSteps()
        .forEach((metric, comparison) -> json.put(metric.label(), ours(comparison)));
    return json;
  }

  private static Map<String, Object> run(TimedRequests run) {
    final Map<String, Object> json = new LinkedHashMap<>();
    json.put("requests", run.requests().size());
    json.put("failed", run.failed());
    json.put("duration_ns", Calibration.durationNs(run));
    json.put("output_tokens_per_second", Calibration.outputTokensPerSecond(run));
    return json;
  }

  private static Map<String, Object> ours(LatencyComparison comparison) {
    final Map<String, Object> json = new LinkedHashMap<>();
    json.put("requests", comparison.requests());
    json.put("bias_of_mean", comparison.bias());
    json.put("mean_error", comparison.meanError());
    json.put("pearson", comparison.pearson());
    json.put("spearman", comparison.spearman());
    json.put("measured_mean_ns", comparison.measured().mean());
    json.put("simulated_mean_ns", comparison.simulated().mean());
    for (double share : SHARES) {
      final String name = "p" + Math.round(100 * share);
      json.put("measured_" + name + "_ns", comparison.measured().quantile(share));
      json.put("simulated_" + name + "_ns", comparison.simulated().quantile(share));
    }
    return json;
  }

  /** In the shape of BLIS's {@code calibrate}, whose unit is the microsecond. */
  public static String blis(Calibration calibration) {
    final Map<String, Object> info = new LinkedHashMap<>();
    info.put("num_requests", calibration.measured().requests().size());
    info.put("warm_up_excluded", 0);
    info.put("matched_pairs", calibration.pairs().size());
    info.put("token_mismatches", calibration.unlike());
    info.put("duration", Calibration.durationNs(calibration.measured()) / NS_PER_MICRO);
    final Map<String, Object> metrics = new LinkedHashMap<>();
    metrics.put("ttft", blis(calibration.metric(LatencyMetric.TTFT)));
    metrics.put("e2e", blis(calibration.metric(LatencyMetric.E2E)));
    metrics.put("itl", blis(calibration.metric(LatencyMetric.TPOT)));
    final Map<String, Object> root = new LinkedHashMap<>();
    root.put("trace_info", info);
    root.put("metrics", metrics);
    return text(root);
  }

  private static Map<String, Object> blis(LatencyComparison comparison) {
    final Map<String, Object> workload = new LinkedHashMap<>();
    put(workload, "mean", comparison.measured().mean(), comparison.simulated().mean());
    put(
        workload,
        "median",
        comparison.measured().quantile(0.5),
        comparison.simulated().quantile(0.5));
    for (double share : SHARES) {
      put(
          workload,
          "p" + Math.round(100 * share),
          comparison.measured().quantile(share),
          comparison.simulated().quantile(share));
    }
    final Map<String, Object> request = new LinkedHashMap<>();
    request.put("mape", 100 * comparison.meanError());
    request.put("pearson_r", comparison.pearson());
    final Map<String, Object> json = new LinkedHashMap<>();
    json.put("workload_level", workload);
    json.put("request_level", request);
    return json;
  }

  private static void put(Map<String, Object> json, String name, double realNs, double simNs) {
    json.put("real_" + name, realNs / NS_PER_MICRO);
    json.put("sim_" + name, simNs / NS_PER_MICRO);
    json.put(name + "_error", (simNs - realNs) / NS_PER_MICRO);
    json.put(name + "_percent_error", 100 * (simNs / realNs - 1));
  }

  private static String text(Map<String, Object> root) {
    return JSON.writerWithDefaultPrettyPrinter().writeValueAsString(root) + "\n";
  }
}
