package dev.headway.cli.learn;

import dev.headway.cli.command.CommandMessages;
import dev.headway.cli.command.ProgressDisplay;
import dev.headway.cli.command.QuietOption;
import dev.headway.cli.simulate.ServedDevice;
import dev.headway.cli.simulate.ServerLimits;
import dev.headway.simulation.calibrate.TimedRequests;
import dev.headway.simulation.fit.MeasuredRun;
import dev.headway.simulation.fit.MeasuredStepFit;
import dev.headway.simulation.fit.PerformanceModelFile;
import dev.headway.toolbox.output.OutputFile;
import dev.headway.toolbox.output.OverwriteMode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** From measured requests of a server to a step model of it: its file, and what it says. */
final class MeasuredFitter {

  private final ServedDevice device;
  private final ServerLimits limits;
  private final CommandMessages messages;
  private final QuietOption quiet;
  private final StrictOption strict;

  /**
   * Prepares a fit.
   *
   * @param device what the server ran on
   * @param limits of the command line
   */
  MeasuredFitter(
      ServedDevice device,
      ServerLimits limits,
      CommandMessages messages,
      QuietOption quiet,
      StrictOption strict) {
    this.device = device;
    this.limits = limits;
    this.messages = messages;
    this.quiet = quiet;
    this.strict = strict;
  }

  /**
   * Fits, and leaves the file or nothing.
   *
   * @param measured under the limits of the command line
   * @param also with limits of their own, as {@code PATH(option=value,...)}
   * @param share how much of each run is fitted
   */
  void fit(List<Path> measured, List<String> also, double share, Path output, OverwriteMode mode)
      throws IOException {
    final List<String> written =
        ServerLimits.written(messages.spec().commandLine().getParseResult());
    final List<MeasuredRun> runs = new ArrayList<>();
    for (Path path : measured) {
      runs.add(read(path, limits));
    }
    for (String other : also) {
      runs.add(
          read(RecordedSpec.path(other), ServerLimits.of(written, RecordedSpec.options(other))));
    }
    final MeasuredStepFit fit;
    try (ProgressDisplay progress = quiet.progress("fit", -1, " simulations")) {
      fit =
          MeasuredStepFit.of(
              runs, device.pass(), device.device(), device.kernels(), share, progress::to);
    }
    try (OutputFile file = OutputFile.prepare(output, mode)) {
      PerformanceModelFile.write(file.scratch(), fit);
      file.publish();
    }
    if (!quiet.isSet()) {
      messages.print(MeasuredFitText.of(fit) + "\nwrote " + output + "\n");
    }
  }

  private MeasuredRun read(Path path, ServerLimits its) throws IOException {
    final MeasuredRun run = MeasuredRun.read(path, its.settings(device));
    strict.require(path, run.omitted(), TimedRequests.Omission::label);
    return run;
  }
}
