package dev.headway.cli.bench;

import dev.headway.loadgen.metrics.BenchMetrics;
import dev.headway.loadgen.metrics.Latency;
import dev.headway.loadgen.output.RunFiles;
import dev.headway.loadgen.result.RunReport;
import dev.headway.loadgen.run.RunResult;
import dev.headway.toolbox.csv.CsvTable;
import dev.headway.toolbox.csv.CsvWriter;
import dev.headway.toolbox.output.OutputDirectory;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.ToDoubleFunction;
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
  private final List<Run> runs = new ArrayList<>();

  /** A run and its name. */
  private record Run(String name, RunReport report) {
    RunResult result() {
      return report.run();
    }

    BenchMetrics metrics() {
      return report.metrics();
    }
  }

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
    runs.add(new Run(name, report));
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
    try (CsvWriter<Run> out = table().create(directory.directory().resolve(RUNS_CSV))) {
      for (Run run : runs) {
        out.write(run);
      }
    }
  }

  private static CsvTable<Run> table() {
    final CsvTable<Run> table =
        CsvTable.<Run>of()
            .column("run", run -> run.name)
            .column("request_rate", run -> cell(run.report.facts().requestRate()))
            .column("max_concurrency", run -> run.report.facts().maxConcurrency())
            .column("end", run -> run.result().end().name().toLowerCase(Locale.ROOT))
            .column("requests", run -> run.report.facts().requests())
            .column("completed", run -> run.metrics().completed())
            .column("failed", run -> run.result().failed())
            .column("duration_s", run -> cell(run.metrics().durationSeconds()))
            .column("achieved_rate", run -> cell(run.result().achievedRate()))
            .column("p99_lag_ms", run -> cell(MS_PER_SECOND * run.result().lag().percentile(99)))
            .column("load_generator_saturated", run -> run.result().isGeneratorSaturated())
            .column("request_throughput", run -> cell(run.metrics().requestThroughput()))
            .column("output_throughput", run -> cell(run.metrics().outputThroughput()))
            .column("total_token_throughput", run -> cell(run.metrics().totalTokenThroughput()))
            .column("request_goodput", run -> cell(run.metrics().requestGoodput()))
            .column("slo_attainment", run -> cell(run.metrics().attainment()))
            .column("mean_concurrency", run -> cell(run.metrics().meanConcurrency()))
            .column("peak_concurrency", run -> run.metrics().peakConcurrency());
    for (Latency latency : LATENCIES) {
      final String end = "_" + latency.label() + "_ms";
      addMilliseconds(table, "mean" + end, run -> run.metrics().of(latency).mean());
      addMilliseconds(table, "p50" + end, run -> run.metrics().of(latency).median());
      addMilliseconds(table, "p90" + end, run -> run.metrics().of(latency).percentile(90));
      addMilliseconds(table, "p99" + end, run -> run.metrics().of(latency).percentile(99));
    }
    return table;
  }

  private static void addMilliseconds(
      CsvTable<Run> table, String name, ToDoubleFunction<Run> seconds) {
    table.column(name, run -> cell(MS_PER_SECOND * seconds.applyAsDouble(run)));
  }

  private static Object cell(double value) {
    return Double.isFinite(value)
        ? new BigDecimal(value, DIGITS).stripTrailingZeros().toPlainString()
        : Double.isInfinite(value) ? "inf" : "";
  }
}
