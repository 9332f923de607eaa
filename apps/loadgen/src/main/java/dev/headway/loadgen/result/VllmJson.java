package dev.headway.loadgen.result;

import dev.headway.loadgen.metrics.BenchMetrics;
import dev.headway.loadgen.metrics.Latency;
import dev.headway.loadgen.metrics.Sample;
import dev.headway.loadgen.run.RunRecord;
import dev.headway.loadgen.run.RunResult;
import dev.headway.routing.timing.TimingStage;
import dev.headway.toolbox.stats.SortedSample;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * A run as {@code vllm bench serve --save-result} writes it, key by key, so that scripts that read
 * such files go on to. A figure that there is none of is null. Stateless.
 */
public final class VllmJson {

  private static final double MS_PER_SECOND = 1e3;
  private static final double NS_PER_SECOND = 1e9;
  private static final DateTimeFormatter DATE =
      DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss", Locale.ROOT);

  private VllmJson() {}

  /**
   * Writes a run.
   *
   * @param detailed whether lengths, times and texts of each request are written
   */
  public static ObjectNode of(RunReport report, boolean detailed) {
    final RunFacts facts = report.facts();
    final ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("date", date(report.run()))
        .put("endpoint_type", facts.backend())
        .put("backend", facts.backend())
        .put("label", facts.label())
        .put("model_id", facts.model())
        .put("tokenizer_id", facts.model())
        .put("num_prompts", facts.requests());
    facts.metadata().forEach(json::put);
    putRate(json, facts.requestRate());
    put(json, "burstiness", facts.burstiness());
    json.put("max_concurrency", facts.maxConcurrency());
    if (facts.ramp() != null) {
      json.put("ramp_up_strategy", facts.ramp().strategy().label())
          .put("ramp_up_start_rps", facts.ramp().from())
          .put("ramp_up_end_rps", facts.ramp().to());
    }
    addMetrics(json, report);
    addLatencies(json, report);
    addProbe(json, report);
    if (facts.ramp() != null) {
      addRateChanges(json.putArray("rps_change_events"), report);
    }
    if (detailed) {
      addRequests(json, report.run());
    }
    return json;
  }

  /** The name that {@code vllm bench serve} gives the file. */
  public static String fileName(RunReport report) {
    final RunFacts facts = report.facts();
    final String model = facts.model().substring(facts.model().lastIndexOf('/') + 1);
    final String concurrency =
        facts.maxConcurrency() == null ? "" : "-concurrency" + facts.maxConcurrency();
    final String name = facts.label() == null ? facts.backend() : facts.label();
    final String rate =
        facts.ramp() == null
            ? rateText(facts.requestRate()) + "qps"
            : "ramp-up-%s-%sqps-%sqps"
                .formatted(
                    facts.ramp().strategy().label(),
                    rateText(facts.ramp().from()),
                    rateText(facts.ramp().to()));
    return name + "-" + rate + concurrency + "-" + model + "-" + date(report.run()) + ".json";
  }

  static String date(RunResult run) {
    return DATE.format(LocalDateTime.ofInstant(run.startedAt(), ZoneId.systemDefault()));
  }

  static String rateText(double rate) {
    return Double.isInfinite(rate) ? "inf" : Double.isNaN(rate) ? "trace" : Double.toString(rate);
  }

  /** Infinity is no number in JSON: it is a word. */
  static void putRate(ObjectNode json, double rate) {
    if (Double.isFinite(rate)) {
      json.put("request_rate", rate);
    } else {
      json.put("request_rate", rateText(rate));
    }
  }

  private static void addMetrics(ObjectNode json, RunReport report) {
    final BenchMetrics metrics = report.metrics();
    put(json, "duration", metrics.durationSeconds());
    json.put("completed", metrics.completed())
        .put("failed", metrics.failed())
        .put("total_input_tokens", metrics.inputTokens())
        .put("total_output_tokens", metrics.outputTokens());
    put(json, "request_throughput", metrics.requestThroughput());
    put(json, "request_goodput", metrics.requestGoodput());
    put(json, "output_throughput", metrics.outputThroughput());
    put(json, "total_token_throughput", metrics.totalTokenThroughput());
    put(json, "max_output_tokens_per_s", metrics.peakTokensPerSecond());
    json.put("max_concurrent_requests", metrics.peakConcurrency());
    json.put("rtfx", 0.0);
  }

  private static void addLatencies(ObjectNode json, RunReport report) {
    for (Latency latency : report.facts().latencies()) {
      final SortedSample of = report.metrics().of(latency);
      final String key = "_" + latency.label() + "_ms";
      put(json, "mean" + key, of.mean() * MS_PER_SECOND);
      put(json, "median" + key, of.median() * MS_PER_SECOND);
      put(json, "std" + key, of.standardDeviation() * MS_PER_SECOND);
      for (double percent : report.facts().percents()) {
        put(json, "p" + Percent.text(percent) + key, of.percentile(percent) * MS_PER_SECOND);
      }
    }
  }

  private static void addProbe(ObjectNode json, RunReport report) {
    final List<RunRecord> probes = report.run().probes();
    if (probes.isEmpty()) {
      return;
    }
    final SortedSample of = report.probeLatency();
    json.put("probe_completed", of.count()).put("probe_failed", probes.size() - of.count());
    put(json, "probe_median_e2el_ms", of.median() * MS_PER_SECOND);
    put(json, "probe_p99_e2el_ms", of.percentile(99) * MS_PER_SECOND);
    put(json, "probe_max_e2el_ms", of.max() * MS_PER_SECOND);
  }

  /** An entry each time the whole part of the rate grows. */
  private static void addRateChanges(ArrayNode events, RunReport report) {
    final RunFacts facts = report.facts();
    if (facts.ramp() == null) {
      return;
    }
    int last = (int) facts.ramp().from();
    add(events, last, report, report.run().originNs());
    for (RunRecord record : report.run().measured()) {
      final int now = (int) facts.ramp().rateAt(record.index(), facts.requests());
      for (int rate = last + 1; rate <= now; rate++) {
        add(events, rate, report, record.exchange().at().ns(TimingStage.ARRIVED));
      }
      last = Math.max(last, now);
    }
  }

  private static void add(ArrayNode events, int rate, RunReport report, long atNs) {
    final RunResult run = report.run();
    final LocalDateTime at =
        LocalDateTime.ofInstant(
            run.startedAt().plusNanos(atNs - run.originNs()), ZoneId.systemDefault());
    events.addObject().put("rps", rate).put("timestamp", at.toString());
  }

  /** A request that failed has zeros and its error, as there. */
  static void addRequests(ObjectNode json, RunResult run) {
    final ArrayNode inputs = json.putArray("input_lens");
    final ArrayNode outputs = json.putArray("output_lens");
    final ArrayNode starts = json.putArray("start_times");
    final ArrayNode firsts = json.putArray("ttfts");
    final ArrayNode gaps = json.putArray("itls");
    final ArrayNode latencies = json.putArray("latencies");
    final ArrayNode queues = json.putArray("queue_times");
    final ArrayNode texts = json.putArray("generated_texts");
    final ArrayNode errors = json.putArray("errors");
    for (RunRecord record : run.measured()) {
      final boolean ok = record.isOk();
      final Sample sample = ok ? record.sample(run.originNs()) : null;
      inputs.add(record.promptTokens());
      outputs.add(ok ? record.outputTokens() : 0);
      starts.add(startSeconds(record));
      firsts.add(sample == null || Double.isNaN(sample.ttft()) ? 0 : sample.ttft());
      final ArrayNode own = gaps.addArray();
      if (sample != null) {
        for (double gap : sample.itl()) {
          own.add(gap);
        }
      }
      latencies.add(sample == null ? 0 : sample.latency());
      queues.add(sample == null ? 0 : sample.queue());
      texts.add(record.exchange().text());
      errors.add(record.exchange().error() == null ? "" : record.exchange().error());
    }
  }

  /** On the host's monotonic clock, like Python's {@code perf_counter}. */
  private static double startSeconds(RunRecord record) {
    final boolean sent = record.exchange().at().has(TimingStage.SENT);
    return record.exchange().at().ns(sent ? TimingStage.SENT : TimingStage.ARRIVED) / NS_PER_SECOND;
  }

  static void put(ObjectNode json, String key, double value) {
    if (Double.isFinite(value)) {
      json.put(key, value);
    } else {
      json.putNull(key);
    }
  }
}
