package dev.headway.loadgen.result;

import dev.headway.loadgen.metrics.BenchMetrics;
import dev.headway.loadgen.metrics.Latency;
import dev.headway.toolbox.stats.SortedSample;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * A run as {@code sglang.bench_serving --output-file} writes it: an object in a line, appended to a
 * file. Tokens are those that the server counted; nothing is tokenised again. Stateless.
 */
public final class SglangJson {

  private static final double MS_PER_SECOND = 1e3;
  private static final double[] PERCENTS = {90, 95, 99};
  private static final DateTimeFormatter DAY = DateTimeFormatter.ofPattern("MMdd", Locale.ROOT);

  private SglangJson() {}

  /**
   * Writes a run.
   *
   * @param detailed whether lengths, times and texts of each request are written
   */
  public static ObjectNode of(RunReport report, boolean detailed) {
    final RunFacts facts = report.facts();
    final BenchMetrics metrics = report.metrics();
    final ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("backend", facts.backend()).put("dataset_name", facts.dataset());
    VllmJson.putRate(json, facts.requestRate());
    json.put("max_concurrency", facts.maxConcurrency())
        .putNull("sharegpt_output_len")
        .putNull("random_input_len")
        .putNull("random_output_len")
        .putNull("random_range_ratio");
    VllmJson.put(json, "duration", metrics.durationSeconds());
    json.put("completed", metrics.completed())
        .put("total_input_tokens", metrics.inputTokens())
        .put("total_output_tokens", metrics.outputTokens())
        .put("total_output_tokens_retokenized", metrics.outputTokens());
    VllmJson.put(json, "request_throughput", metrics.requestThroughput());
    VllmJson.put(json, "input_throughput", metrics.inputThroughput());
    VllmJson.put(json, "output_throughput", metrics.outputThroughput());
    VllmJson.put(json, "total_throughput", metrics.totalTokenThroughput());
    addLatency(json, "e2e_latency", metrics.of(Latency.E2EL));
    addLatency(json, "ttft", metrics.of(Latency.TTFT));
    addLatency(json, "tpot", metrics.of(Latency.TPOT));
    addLatency(json, "itl", metrics.of(Latency.ITL));
    VllmJson.put(json, "concurrency", metrics.meanConcurrency());
    json.putNull("accept_length");
    VllmJson.put(json, "max_output_tokens_per_s", metrics.peakTokensPerSecond());
    json.put("max_concurrent_requests", metrics.peakConcurrency());
    if (detailed) {
      VllmJson.addRequests(json, report.run());
    }
    return json;
  }

  /** The name that {@code sglang.bench_serving} gives the file. */
  public static String fileName(RunReport report) {
    final String day =
        DAY.format(LocalDateTime.ofInstant(report.run().startedAt(), ZoneId.systemDefault()));
    return "%s_%s_%d_%s.jsonl"
        .formatted(
            report.facts().backend(),
            day,
            report.facts().requests(),
            report.facts().dataset().replaceAll("[^\\w.-]+", "-"));
  }

  private static void addLatency(ObjectNode json, String name, SortedSample of) {
    final String key = "_" + name + "_ms";
    VllmJson.put(json, "mean" + key, of.mean() * MS_PER_SECOND);
    VllmJson.put(json, "median" + key, of.median() * MS_PER_SECOND);
    VllmJson.put(json, "std" + key, of.standardDeviation() * MS_PER_SECOND);
    for (double percent : PERCENTS) {
      VllmJson.put(json, "p" + Percent.text(percent) + key, of.percentile(percent) * MS_PER_SECOND);
    }
  }
}
