package dev.headway.cli.simulate;

import dev.headway.simulation.compare.Bootstrap;
import dev.headway.simulation.compare.Measures;
import dev.headway.simulation.compare.Metric;
import dev.headway.simulation.compare.PolicyResult;
import dev.headway.simulation.compare.RequestFigures;
import dev.headway.toolbox.csv.RealNumber;
import dev.headway.toolbox.output.OutputDirectory;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.json.JsonMapper;

/**
 * The files of a comparison. Equal arguments give equal bytes, but for {@code cost.csv} and {@code
 * machine} in the JSON file. One thread; close it to have everything written.
 */
public final class ComparisonFiles implements AutoCloseable {

  private static final String POLICIES = "policies.csv";
  private static final String REQUESTS = "requests.csv";
  private static final String COST = "cost.csv";
  private static final String JSON = "compare.json";
  private static final JsonMapper MAPPER = new JsonMapper();

  /** What the directory holds. */
  static final OutputDirectory.Content CONTENT =
      new OutputDirectory.Content("a comparison", "--out", Set.of(POLICIES, REQUESTS, COST, JSON));

  private final Path directory;
  private final BufferedWriter policies;
  private final BufferedWriter requests;
  private final BufferedWriter cost;
  private final List<Map<String, Object>> runs = new ArrayList<>();
  private final Map<String, Object> costs = new LinkedHashMap<>();

  ComparisonFiles(Path directory) throws IOException {
    this.directory = directory;
    policies = writer(POLICIES, "policy,metric,unit,value,low,high");
    requests =
        writer(
            REQUESTS,
            "policy,request_id,tenant,arrival_ns,prompt_tokens,output_tokens,class,outcome,"
                + "ttft_ns,tpot_ns,e2e_ns,preemptions,recomputed_tokens,cached_tokens,meets_slo");
    cost = writer(COST, "policy,steps,scheduler_ns_per_step,policy_ns_per_step");
  }

  private BufferedWriter writer(String name, String header) throws IOException {
    final BufferedWriter writer =
        Files.newBufferedWriter(directory.resolve(name), StandardCharsets.UTF_8);
    writer.write(header + "\n");
    return writer;
  }

  /** Adds a policy. */
  void add(PolicyResult result, Measures measures) throws IOException {
    addMetrics(result);
    for (RequestFigures figures : result.requests()) {
      addRequest(result.policy(), figures, measures);
    }
    final PolicyResult.Cost spent = result.cost();
    row(
        cost,
        result.policy(),
        spent.steps(),
        Math.round(spent.schedulerNsPerStep()),
        Math.round(spent.policyNsPerStep()));
    costs.put(
        result.policy(),
        Map.of(
            "scheduler_ns", spent.schedulerNs(),
            "policy_ns", spent.policyNs()));
  }

  private void addMetrics(PolicyResult result) throws IOException {
    final Map<String, Object> metrics = new LinkedHashMap<>();
    for (Map.Entry<Metric, Bootstrap.Interval> entry : result.metrics().entrySet()) {
      final Metric metric = entry.getKey();
      final Bootstrap.Interval interval = entry.getValue();
      row(
          policies,
          result.policy(),
          metric.label(),
          metric.unit(),
          RealNumber.cell(interval.value()),
          RealNumber.cell(interval.low()),
          RealNumber.cell(interval.high()));
      if (!Double.isNaN(interval.value())) {
        metrics.put(metric.label(), json(metric, interval));
      }
    }
    final Map<String, Object> run = new LinkedHashMap<>();
    run.put("policy", result.policy());
    run.put("outcomes", result.outcomes());
    run.put("metrics", metrics);
    runs.add(run);
  }

  private static Map<String, Object> json(Metric metric, Bootstrap.Interval interval) {
    final Map<String, Object> json = new LinkedHashMap<>();
    json.put("unit", metric.unit());
    json.put("value", interval.value());
    if (!Double.isNaN(interval.low())) {
      json.put("low", interval.low());
      json.put("high", interval.high());
    }
    return json;
  }

  private void addRequest(String policy, RequestFigures figures, Measures measures)
      throws IOException {
    row(
        requests,
        policy,
        figures.id,
        figures.tenant,
        figures.arrivalNs,
        figures.promptTokens,
        figures.outputTokens,
        figures.promptTokens <= measures.shortPrompt() ? "short" : "long",
        figures.outcome,
        duration(figures.ttftNs),
        duration(figures.tpotNs),
        duration(figures.endToEndNs),
        figures.preemptions,
        figures.recomputedTokens,
        figures.cachedTokens,
        figures.meets(measures.slo().ttftNs(), measures.slo().itlNs()));
  }

  private static String duration(long ns) {
    return ns == RequestFigures.NONE ? "" : Long.toString(ns);
  }

  private static void row(Writer writer, Object... cells) throws IOException {
    for (int i = 0; i < cells.length; i++) {
      if (i > 0) {
        writer.write(',');
      }
      writer.write(quoted(cells[i].toString()));
    }
    writer.write('\n');
  }

  private static String quoted(String cell) {
    return cell.chars().anyMatch(c -> c == ',' || c == '"' || c == '\n' || c == '\r')
        ? '"' + cell.replace("\"", "\"\"") + '"'
        : cell;
  }

  /** Writes what concerns all policies. */
  void finish(Map<String, Object> arguments) throws IOException {
    final Map<String, Object> json = new LinkedHashMap<>();
    json.put("format", "headway-comparison");
    json.put("schema_version", 1);
    json.put("arguments", arguments);
    json.put("runs", runs);
    json.put("machine", costs);
    Files.writeString(
        directory.resolve(JSON),
        MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(json) + "\n");
  }

  @Override
  public void close() throws IOException {
    try (Writer first = policies;
        Writer second = requests;
        Writer third = cost) {
      first.flush();
      second.flush();
      third.flush();
    }
  }
}
