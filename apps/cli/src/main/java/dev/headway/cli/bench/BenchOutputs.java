package dev.headway.cli.bench;

import dev.headway.cli.command.Needs;
import dev.headway.cli.command.OverwriteOption;
import dev.headway.loadgen.output.RunFiles;
import dev.headway.loadgen.result.PrintedTable;
import dev.headway.loadgen.result.RunReport;
import dev.headway.toolbox.output.OutputFile;
import dev.headway.toolbox.output.OverwriteMode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;

/** What is left of a run. */
final class BenchOutputs {

  @Option(
      names = {"-o", "--out", "--output", "--output-path"},
      paramLabel = "DIR",
      description =
          "Directory to make: timeline.html, result.json, requests.csv, node_requests.csv or"
              + " router_requests.csv (${DEFAULT-VALUE}).")
  private Path out = Path.of("out", "bench");

  @ArgGroup(validate = false)
  private OverwriteOption overwrite = new OverwriteOption();

  @Option(
      names = "--save-detailed",
      description = "Keep times and texts of each request in results.")
  private boolean detailed;

  @Option(
      names = "--result-format",
      paramLabel = "NAME",
      description =
          "Shape of the table that is printed, and of --result-file and --result-dir: sdk, vllm or"
              + " sglang (${DEFAULT-VALUE}).")
  private RunFiles.Format format = RunFiles.Format.SDK;

  @Option(
      names = {"--result-file", "--result-filename", "--output-file"},
      paramLabel = "FILE",
      description = "A result in that shape beside DIR.")
  private @Nullable Path resultFile;

  @Option(
      names = "--result-dir",
      paramLabel = "DIR",
      description = "The same, under the name that the tool of that shape gives it.")
  private @Nullable Path resultDir;

  @Needs({"--result-file", "--result-dir"})
  @Option(names = "--append-result", description = "Append to that file, an object in a line.")
  private boolean appends;

  Path out() {
    return out;
  }

  OverwriteOption overwrite() {
    return overwrite;
  }

  boolean isDetailed() {
    return detailed;
  }

  /** The table of a run. */
  String table(RunReport report) {
    return switch (format) {
      case SDK ->
          PrintedTable.headway(report)
              + (report.stages().isKnown() ? "\n" + report.stages().text() : "");
      case VLLM -> PrintedTable.vllm(report);
      case SGLANG -> PrintedTable.sglang(report);
    };
  }

  /** Asks whether what is asked for beside the directory may be written, before a load is sent. */
  void check() throws IOException {
    if (resultFile != null) {
      OutputFile.check(resultFile, OverwriteMode.REPLACE);
    }
  }

  /** Writes the result that is asked for beside the directory. */
  void writeBeside(RunReport report) throws IOException {
    if (resultFile != null) {
      RunFiles.write(resultFile, format, report, detailed, appends);
    }
    if (resultDir != null) {
      Files.createDirectories(resultDir);
      final Path file = resultDir.resolve(RunFiles.fileName(format, report));
      RunFiles.write(file, format, report, detailed, appends);
    }
  }
}
