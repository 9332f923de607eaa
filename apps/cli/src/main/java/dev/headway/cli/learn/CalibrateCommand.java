package dev.headway.cli.learn;

import dev.headway.cli.command.CommandMessages;
import dev.headway.cli.command.ExitCode;
import dev.headway.cli.command.OverwriteOption;
import dev.headway.cli.command.QuietOption;
import dev.headway.simulation.calibrate.Calibration;
import dev.headway.simulation.calibrate.CalibrationJson;
import dev.headway.simulation.calibrate.TimedRequests;
import dev.headway.toolbox.output.OutputFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code headway calibrate}: a simulated run against the measured one. */
@Command(
    name = "calibrate",
    mixinStandardHelpOptions = true,
    header = "Says how far a simulated run is off a measured one, and in which term.",
    description = {
      "",
      "Matches requests by id, or in the order of arrival where no id is in both, and compares time to first token, time per output token and end-to-end latency: means, quantiles, the error of each request, throughput, and the queue over time.",
      "",
      "A process that has just started records, plans and loads in its first steps. Where both runs have their steps, as journals and folders with csv/per_iteration.csv do, what such steps took beyond the simulated ones is said apart.",
      "",
      "A run is a journal, a folder of headway simulate, replay or convert, a per_request.csv, a CSV file of request_id, arrival_s, input_tokens, output_tokens, ttft_s, e2e_s (and error), BLIS's TraceV2, or JSON lines of a vLLM run as LLMServingSim records them; plain or gzip.",
      ""
    },
    exitCodeList = {
      "0:Compared.",
      "1:Failed: outputs are as they were before.",
      "2:The command line is wrong."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  headway calibrate measured.csv out/simulate",
      "  headway calibrate measured.csv out/simulate -o calibration.json \\",
      "      --html calibration.html"
    })
public final class CalibrateCommand implements Callable<Integer> {

  @Mixin private final CommandMessages messages = new CommandMessages();

  @Parameters(index = "0", paramLabel = "MEASURED", description = "The run that is the truth.")
  private Path measured;

  @Parameters(index = "1", paramLabel = "SIMULATED", description = "The run that is judged.")
  private Path simulated;

  @Option(
      names = {"-o", "--out", "--output"},
      paramLabel = "FILE",
      description = "JSON file to make (none).")
  private @Nullable Path output;

  @Option(names = "--json", description = "Print JSON instead of text.")
  private boolean asJson;

  @Option(
      names = "--blis-json",
      paramLabel = "FILE",
      description = "JSON file to make, in the shape of BLIS's calibrate.")
  private @Nullable Path blisJson;

  @Option(
      names = "--html",
      paramLabel = "FILE",
      description = "Page to make: distributions of both, each request, the queue over time.")
  private @Nullable Path page;

  @Mixin private StrictOption strict;
  @Mixin private OverwriteOption overwrite;
  @Mixin private QuietOption quiet;

  @Override
  public Integer call() {
    try {
      final RunRequests real = read(measured);
      final RunRequests other = read(simulated);
      final Calibration calibration =
          Calibration.of(real.requests(), real.steps(), other.requests(), other.steps());
      final String json = CalibrationJson.of(calibration);
      write(output, json);
      write(blisJson, CalibrationJson.blis(calibration));
      if (page != null) {
        write(page, CalibrationPage.render(calibration, measured + " and " + simulated));
      }
      if (asJson) {
        messages.print(json);
      } else if (!quiet.isSet()) {
        messages.print(CalibrationText.of(calibration));
      }
      return ExitCode.OK;
    } catch (IOException | UncheckedIOException e) {
      return messages.failed(e);
    } catch (IllegalArgumentException e) {
      return messages.failed(new IOException(e.getMessage(), e));
    }
  }

  private RunRequests read(Path run) throws IOException {
    final RunRequests read = RunRequests.read(run, quiet);
    strict.require(run, read.requests().omitted(), TimedRequests.Omission::label);
    return read;
  }

  private void write(@Nullable Path path, String content) throws IOException {
    if (path != null) {
      try (OutputFile file = OutputFile.prepare(path, overwrite.mode())) {
        Files.write(file.scratch(), content.getBytes(StandardCharsets.UTF_8));
        file.publish();
      }
    }
  }
}
