package dev.headway.cli.simulate;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.simulation.compare.Bootstrap.Interval;
import dev.headway.simulation.fleet.FleetMetric;
import dev.headway.simulation.fleet.FleetRequest;
import dev.headway.simulation.fleet.FleetResult;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVPrinter;
import tools.jackson.databind.json.JsonMapper;

/** What a run with several instances leaves. Equal arguments give equal bytes. Stateless. */
final class FleetFiles {

  static final String REQUESTS = "requests.csv";
  static final String DECISIONS = "router_decisions.csv";
  static final String SUMMARY = "summary.json";

  private static final JsonMapper MAPPER = new JsonMapper();

  private static final List<String> ROUTER_COLUMNS =
      List.of(
          "instance",
          "policy_branch",
          "predicted_cached_tokens",
          "actual_cached_tokens",
          "regret_ns");

  /** The columns of a single server's requests.csv, and the router's behind them. */
  private static final CSVFormat FORMAT =
      CSVFormat.RFC4180
          .builder()
          .setHeader(
              Stream.concat(RequestRows.COLUMNS.stream(), ROUTER_COLUMNS.stream())
                  .toArray(String[]::new))
          .get();

  private FleetFiles() {}

  /** Writes requests.csv: in the order of arrival, times in seconds with nine digits. */
  static void writeRequests(Path file, FleetResult result) throws IOException {
    try (CSVPrinter rows =
        new CSVPrinter(Files.newBufferedWriter(file, StandardCharsets.UTF_8), FORMAT)) {
      for (FleetRequest each : result.requests()) {
        rows.printRecord(
            each.id(),
            RequestRows.seconds(each.arrivalNs()),
            each.promptTokens(),
            each.ttftNs() == ABSENT ? 0 : each.outputTokens(),
            seconds(each.ttftNs()),
            seconds(each.endToEndNs()),
            "",
            each.ttftNs() == ABSENT ? each.outcome() : "",
            each.instance(),
            each.branch(),
            each.predictedCachedTokens(),
            each.cachedTokens(),
            each.regretNs());
      }
    }
  }

  private static String seconds(long ns) {
    return ns == ABSENT ? "" : RequestRows.seconds(ns);
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
