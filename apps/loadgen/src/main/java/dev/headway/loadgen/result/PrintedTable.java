package dev.headway.loadgen.result;

import dev.headway.loadgen.metrics.BenchMetrics;
import dev.headway.loadgen.metrics.Latency;
import dev.headway.loadgen.run.RunResult;
import dev.headway.toolbox.stats.SortedSample;

/** Tables as the load generators of vLLM and SGLang print them. Stateless. */
public final class PrintedTable {

  private static final String TITLE = " Serving Benchmark Result ";
  private static final double MS_PER_SECOND = 1e3;

  private PrintedTable() {}

  /** The table of {@code vllm bench serve}. */
  public static String vllm(RunReport report) {
    return vllmBody(report).rule("", '=').toString();
  }

  /** The same, with a last section on how far the generator kept to its schedule. */
  public static String headway(RunReport report) {
    final RunResult run = report.run();
    final Table table = vllmBody(report);
    table.rule("Load Generator", '-');
    table.row("Planned rate (req/s):", run.plannedRate());
    table.row("Achieved rate (req/s):", run.achievedRate());
    table.row("P99 lag (ms):", run.lag().percentile(99) * MS_PER_SECOND);
    table.row("P99 send lag (ms):", run.sendLag().percentile(99) * MS_PER_SECOND);
    table.row("Mean concurrency:", report.metrics().meanConcurrency());
    return table.rule("", '=').toString();
  }

  private static Table vllmBody(RunReport report) {
    final RunFacts facts = report.facts();
    final BenchMetrics metrics = report.metrics();
    final Table table = new Table().rule(TITLE, '=');
    table.row("Successful requests:", metrics.completed());
    table.row("Failed requests:", metrics.failed());
    if (facts.maxConcurrency() != null) {
      table.row("Maximum request concurrency:", facts.maxConcurrency());
    }
    if (Double.isFinite(facts.requestRate())) {
      table.row("Request rate configured (RPS):", facts.requestRate());
    }
    table.row("Benchmark duration (s):", metrics.durationSeconds());
    table.row("Total input tokens:", metrics.inputTokens());
    table.row("Total generated tokens:", metrics.outputTokens());
    table.row("Request throughput (req/s):", metrics.requestThroughput());
    if (!facts.levels().isEmpty()) {
      table.row("Request goodput (req/s):", metrics.requestGoodput());
    }
    table.row("Output token throughput (tok/s):", metrics.outputThroughput());
    table.row("Peak output token throughput (tok/s):", metrics.peakTokensPerSecond());
    table.row("Peak concurrent requests:", (double) metrics.peakConcurrency());
    table.row("Total token throughput (tok/s):", metrics.totalTokenThroughput());
    if (!report.run().probes().isEmpty()) {
      final SortedSample probe = report.probeLatency();
      table.rule("Probe Requests", '-');
      table.row("Successful probe requests:", probe.count());
      table.row("Failed probe requests:", report.run().probes().size() - probe.count());
      table.row("Median probe E2EL (ms):", probe.median() * MS_PER_SECOND);
      table.row("P99 probe E2EL (ms):", probe.percentile(99) * MS_PER_SECOND);
      table.row("Max probe E2EL (ms):", probe.max() * MS_PER_SECOND);
    }
    for (Latency latency : facts.latencies()) {
      addLatency(table, report, latency);
    }
    return table;
  }

  private static void addLatency(Table table, RunReport report, Latency latency) {
    final SortedSample of = report.metrics().of(latency);
    final String name = " " + latency.shortTitle() + " (ms):";
    table.rule(latency.title(), '-');
    table.row("Mean" + name, of.mean() * MS_PER_SECOND);
    table.row("Median" + name, of.median() * MS_PER_SECOND);
    for (double percent : report.facts().percents()) {
      if (percent == 50) {
        continue; // the line above
      }
      table.row("P" + Percent.text(percent) + name, of.percentile(percent) * MS_PER_SECOND);
    }
  }

  /** The table of {@code sglang.bench_serving}. */
  public static String sglang(RunReport report) {
    final RunFacts facts = report.facts();
    final BenchMetrics metrics = report.metrics();
    final Table table = new Table().rule(TITLE, '=');
    table.row("Backend:", facts.backend());
    table.row("Traffic request rate:", VllmJson.rateText(facts.requestRate()));
    table.row(
        "Max request concurrency:",
        facts.maxConcurrency() == null ? "not set" : String.valueOf(facts.maxConcurrency()));
    table.row("Successful requests:", metrics.completed());
    table.row("Benchmark duration (s):", metrics.durationSeconds());
    table.row("Total input tokens:", metrics.inputTokens());
    table.row("Total generated tokens:", metrics.outputTokens());
    table.row("Total generated tokens (retokenized):", metrics.outputTokens());
    table.row("Request throughput (req/s):", metrics.requestThroughput());
    table.row("Input token throughput (tok/s):", metrics.inputThroughput());
    table.row("Output token throughput (tok/s):", metrics.outputThroughput());
    table.row("Total token throughput (tok/s):", metrics.totalTokenThroughput());
    table.row("Concurrency:", metrics.meanConcurrency());
    sglangRows(table, "End-to-End Latency", "E2E Latency", metrics.of(Latency.E2EL), 90, 99);
    sglangRows(table, "Time to First Token", "TTFT", metrics.of(Latency.TTFT), 99);
    sglangRows(
        table, "Time per Output Token (excl. 1st token)", "TPOT", metrics.of(Latency.TPOT), 99);
    sglangRows(table, "Inter-Token Latency", "ITL", metrics.of(Latency.ITL), 95, 99);
    table.row("Max ITL (ms):", metrics.of(Latency.ITL).max() * MS_PER_SECOND);
    return table.rule("", '=').toString();
  }

  private static void sglangRows(
      Table table, String title, String name, SortedSample of, int... percents) {
    table.rule(title, '-');
    table.row("Mean " + name + " (ms):", of.mean() * MS_PER_SECOND);
    table.row("Median " + name + " (ms):", of.median() * MS_PER_SECOND);
    for (int percent : percents) {
      table.row("P" + percent + " " + name + " (ms):", of.percentile(percent) * MS_PER_SECOND);
    }
  }
}
