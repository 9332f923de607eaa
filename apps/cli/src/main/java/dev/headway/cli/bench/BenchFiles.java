package dev.headway.cli.bench;

import dev.headway.loadgen.metrics.Latency;
import dev.headway.loadgen.output.RunFiles;
import dev.headway.loadgen.result.RunReport;
import dev.headway.toolbox.output.OutputDirectory;
import dev.headway.toolbox.stats.SortedSample;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVPrinter;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * The directory of a command: the files of its run, or {@code runs.csv} with a row per run and a
 * directory for each in {@code runs}.
 */
final class BenchFiles {

  static final OutputDirectory.Content CONTENT =
      new OutputDirectory.Content("a measured load", "--out", names());

  private static final String RUNS = "runs";
  private static final String RUNS_CSV = "runs.csv";
  private static final String CAPACITY = "capacity.json";
  private static final double MS_PER_SECOND = 1e3;
  private static final MathContext DIGITS = new MathContext(9);
  private static final List<Latency> LATENCIES =
      List.of(Latency.TTFT, Latency.TPOT, Latency.ITL, Latency.E2EL);

  private final OutputDirectory directory;
  private final BenchOutputs outputs;
  private final boolean several;
  private final List<List<Object>> rows = new ArrayList<>();

  BenchFiles(OutputDirectory directory, BenchOutputs outputs, boolean several) {
    this.directory = directory;
    this.outputs = outputs;
    this.several = several;
  }

  private static Set<String> names() {
    final Set<String> names = new HashSet<>(RunFiles.NAMES);
    names.addAll(Set.of("runs", "runs.csv", "capacity.json"));
    return names;
  }

  void add(String name, RunReport report) throws IOException {
    final Path into =
        several
            ? Files.createDirectories(directory.directory().resolve(RUNS).resolve(name))
            : directory.directory();
    RunFiles.write(into, report, name, outputs.isDetailed());
    outputs.writeBeside(report);
    rows.add(row(name, report));
  }

  /** What a search came to; NaN where there is none. */
  void capacity(double met, double missed) throws IOException {
    final ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("capacity_rps", Double.isNaN(met) ? null : (Double) met);
    json.put("least_rate_that_missed_rps", Double.isNaN(missed) ? null : (Double) missed);
    Files.writeString(directory.directory().resolve(CAPACITY), json + "\n");
  }

  void finish() throws IOException {
    if (!several) {
      return;
    }
    final CSVFormat format =
        CSVFormat.RFC4180
            .builder()
            .setRecordSeparator('\n')
            .setHeader(columns().toArray(String[]::new))
            .get();
    try (CSVPrinter out =
        new CSVPrinter(
            Files.newBufferedWriter(
                directory.directory().resolve(RUNS_CSV), StandardCharsets.UTF_8),
            format)) {
      for (List<Object> row : rows) {
        out.printRecord(row);
      }
    }
  }

  private static List<String> columns() {
    final List<String> columns =
        new ArrayList<>(
            List.of(
                "run",
                "request_rate",
                "max_concurrency",
                "end",
                "requests",
                "completed",
                "failed",
                "duration_s",
                "achieved_rate",
                "p99_lag_ms",
                "load_generator_saturated",
                "request_throughput",
                "output_throughput",
                "total_token_throughput",
                "request_goodput",
                "slo_attainment",
                "mean_concurrency",
                "peak_concurrency"));
    for (Latency latency : LATENCIES) {
      for (String figure : List.of("mean", "p50", "p90", "p99")) {
        columns.add(figure + "_" + latency.label() + "_ms");
      }
    }
    return columns;
  }

  private static List<Object> row(String name, RunReport report) {
    final List<Object> row = new ArrayList<>();
    row.add(name);
    row.add(cell(report.facts().requestRate()));
    row.add(report.facts().maxConcurrency() == null ? "" : report.facts().maxConcurrency());
    row.add(report.run().end().name().toLowerCase(Locale.ROOT));
    row.add(report.facts().requests());
    row.add(report.metrics().completed());
    row.add(report.run().failed());
    row.add(cell(report.metrics().durationSeconds()));
    row.add(cell(report.run().achievedRate()));
    row.add(cell(MS_PER_SECOND * report.run().lag().percentile(99)));
    row.add(report.run().isGeneratorSaturated());
    row.add(cell(report.metrics().requestThroughput()));
    row.add(cell(report.metrics().outputThroughput()));
    row.add(cell(report.metrics().totalTokenThroughput()));
    row.add(cell(report.metrics().requestGoodput()));
    row.add(cell(report.metrics().attainment()));
    row.add(cell(report.metrics().meanConcurrency()));
    row.add(report.metrics().peakConcurrency());
    for (Latency latency : LATENCIES) {
      final SortedSample of = report.metrics().of(latency);
      row.add(cell(MS_PER_SECOND * of.mean()));
      row.add(cell(MS_PER_SECOND * of.median()));
      row.add(cell(MS_PER_SECOND * of.percentile(90)));
      row.add(cell(MS_PER_SECOND * of.percentile(99)));
    }
    return row;
  }

  private static Object cell(double value) {
    return Double.isFinite(value)
        ? new BigDecimal(value, DIGITS).stripTrailingZeros().toPlainString()
        : Double.isInfinite(value) ? "inf" : "";
  }
}
