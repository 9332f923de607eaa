package dev.headway.cli.simulate;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.simulation.compare.Bootstrap.Interval;
import dev.headway.simulation.compare.FleetMetric;
import dev.headway.simulation.fleet.FleetRequest;
import dev.headway.simulation.fleet.FleetResult;
import dev.headway.toolbox.csv.CsvTable;
import dev.headway.toolbox.csv.CsvWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/** What a run with several instances leaves. Equal arguments give equal bytes. Stateless. */
final class FleetFiles {

  static final String REQUESTS = "requests.csv";
  static final String DECISIONS = "router_decisions.csv";
  static final String SUMMARY = "summary.json";

  private static final JsonMapper MAPPER = new JsonMapper();

  /** The columns of a single server's requests.csv, and the router's behind them. */
  private static final CsvTable<FleetRequest> TABLE =
      RequestRows.table(FleetFiles::row)
          .column("instance", FleetRequest::instance)
          .column("policy_branch", FleetRequest::branch)
          .column("predicted_cached_tokens", FleetRequest::predictedCachedTokens)
          .column("actual_cached_tokens", FleetRequest::cachedTokens)
          .column("regret_ns", FleetRequest::regretNs);

  private FleetFiles() {}

  /** Writes requests.csv: in the order of arrival, times in seconds with nine digits. */
  static void writeRequests(Path file, FleetResult result) throws IOException {
    try (CsvWriter<FleetRequest> rows = TABLE.create(file)) {
      for (FleetRequest each : result.requests()) {
        rows.write(each);
      }
    }
  }

  private static RequestRows.Row row(FleetRequest each) {
    final boolean hasToken = each.ttftNs() != ABSENT;
    return new RequestRows.Row(
        each.id(),
        each.arrivalNs(),
        each.promptTokens(),
        hasToken ? each.outputTokens() : 0,
        each.ttftNs(),
        each.endToEndNs(),
        ABSENT,
        hasToken ? null : each.outcome());
  }

  /** Writes summary.json. */
  static void writeSummary(Path file, FleetResult result, Map<FleetMetric, Interval> figures)
      throws IOException {
    final Map<String, Object> json = new LinkedHashMap<>();
    json.put("format", "headway-fleet-summary");
    json.put("schema_version", 1);
    json.put("router", result.settings().router());
    json.put("instances", result.settings().instances());
    json.put("signal_delay_ns", result.settings().signalDelayNs());
    json.put("requests", result.requests().size());
    json.put("requests_by_instance", result.requestsByInstance());
    json.put("steps", result.steps());
    json.put("duration_ns", result.endNs());
    figures.forEach((metric, figure) -> json.put(metric.label(), json(metric, figure)));
    Files.writeString(
        file, MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(json) + "\n");
  }

  private static Map<String, Object> json(FleetMetric metric, Interval figure) {
    final Map<String, Object> json = new LinkedHashMap<>();
    json.put("unit", metric.unit());
    if (!Double.isNaN(figure.value())) {
      json.put("value", figure.value());
    }
    if (!Double.isNaN(figure.low())) {
      json.put("low", figure.low());
      json.put("high", figure.high());
    }
    return json;
  }
}
