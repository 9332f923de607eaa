package dev.headway.loadgen.result;

import dev.headway.loadgen.metrics.BenchMetrics;
import dev.headway.loadgen.metrics.ServiceLevel;
import dev.headway.loadgen.run.RunRecord;
import dev.headway.loadgen.run.RunResult;
import dev.headway.toolbox.stats.SortedSample;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import tools.jackson.databind.node.ObjectNode;

/**
 * A run in our own shape: all that {@link VllmJson} has, and what it lacks. How far the generator
 * kept to the schedule, confidence intervals, attainment of each service level, the mean number
 * under way, goodput by tenant and priority, why requests failed. Stateless.
 */
public final class HeadwayJson {

  private static final double MS_PER_SECOND = 1e3;

  private HeadwayJson() {}

  /**
   * Writes a run.
   *
   * @param detailed whether lengths, times and texts of each request are written
   */
  public static ObjectNode of(RunReport report, boolean detailed) {
    final ObjectNode json = VllmJson.of(report, detailed);
    final RunFacts facts = report.facts();
    final RunResult run = report.run();
    final BenchMetrics metrics = report.metrics();
    json.put("dataset_name", facts.dataset())
        .put("target", facts.target())
        .put("arrival", facts.arrival())
        .put("seed", facts.seed())
        .put("end", run.end().name().toLowerCase(Locale.ROOT))
        .put("aborted", run.aborted())
        .put("warmups", run.records().size() - run.measured().size())
        .put("requests_counted_by_chunks", report.countedByChunks());
    VllmJson.put(json, "input_throughput", metrics.inputThroughput());
    VllmJson.put(json, "concurrency", metrics.meanConcurrency());
    VllmJson.put(json, "slo_attainment", metrics.attainment());
    VllmJson.put(
        json,
        "token_goodput",
        metrics.goodOutputTokens() < 0
            ? Double.NaN
            : metrics.goodOutputTokens() / metrics.durationSeconds());
    addGenerator(json.putObject("generator"), run);
    json.put("load_generator_saturated", run.isGeneratorSaturated());
    addLevels(json.putObject("service_levels"), report);
    if (report.stages().isKnown()) {
      report.stages().put(json.putObject("stages"));
      json.put("verdict", report.stages().verdict());
    }
    addIntervals(json.putObject("confidence_intervals"), report);
    addGroups(
        json.putObject("by_tenant"), report, r -> String.valueOf(r.request().shape().tenant()));
    addGroups(
        json.putObject("by_priority"), report, r -> String.valueOf(r.request().shape().priority()));
    final ObjectNode counters = json.putObject("counter_deltas");
    run.counters().forEach((name, grown) -> VllmJson.put(counters, name, grown));
    final ObjectNode errors = json.putObject("errors_by_text");
    run.measured().stream()
        .filter(r -> r.exchange().error() != null)
        .collect(
            Collectors.groupingBy(
                r -> String.valueOf(r.exchange().error()), TreeMap::new, Collectors.counting()))
        .forEach(errors::put);
    return json;
  }

  private static void addGenerator(ObjectNode json, RunResult run) {
    VllmJson.put(json, "planned_rate", run.plannedRate());
    VllmJson.put(json, "achieved_rate", run.achievedRate());
    addLag(json, "lag", run.lag());
    addLag(json, "send_lag", run.sendLag());
  }

  private static void addLag(ObjectNode json, String name, SortedSample lag) {
    VllmJson.put(json, "p50_" + name + "_ms", lag.median() * MS_PER_SECOND);
    VllmJson.put(json, "p99_" + name + "_ms", lag.percentile(99) * MS_PER_SECOND);
    VllmJson.put(json, "max_" + name + "_ms", lag.max() * MS_PER_SECOND);
  }

  private static void addLevels(ObjectNode json, RunReport report) {
    int index = 0;
    for (ServiceLevel level : report.facts().levels()) {
      final int met = report.metrics().met().get(index++);
      final ObjectNode of = json.putObject(level.kind().label()).put("limit_ms", level.limitMs());
      of.put("met", met);
      VllmJson.put(of, "attainment", (double) met / Math.max(1, report.metrics().requests()));
    }
  }

  private static void addIntervals(ObjectNode json, RunReport report) {
    json.put("resamples", report.intervals().resamples())
        .put("seed", report.intervals().seed())
        .put("requests", report.metrics().requests());
    report
        .intervals()
        .byName()
        .forEach(
            (name, interval) -> {
              final ObjectNode of = json.putObject(name);
              VllmJson.put(of, "low", interval.low());
              VllmJson.put(of, "value", interval.value());
              VllmJson.put(of, "high", interval.high());
            });
  }

  private static void addGroups(
      ObjectNode json, RunReport report, Function<RunRecord, String> group) {
    final Map<String, java.util.List<RunRecord>> groups =
        report.run().measured().stream()
            .collect(Collectors.groupingBy(group, TreeMap::new, Collectors.toList()));
    if (groups.size() < 2) {
      return; // one group is the whole
    }
    groups.forEach(
        (name, records) -> {
          final var samples =
              records.stream()
                  .filter(RunRecord::isOk)
                  .map(r -> r.sample(report.run().originNs()))
                  .toList();
          final BenchMetrics metrics =
              BenchMetrics.of(
                  samples,
                  records.size() - samples.size(),
                  report.run().durationSeconds(),
                  report.facts().levels());
          final ObjectNode of = json.putObject(name).put("completed", metrics.completed());
          of.put("failed", metrics.failed());
          VllmJson.put(of, "request_goodput", metrics.requestGoodput());
          VllmJson.put(of, "slo_attainment", metrics.attainment());
        });
  }
}
