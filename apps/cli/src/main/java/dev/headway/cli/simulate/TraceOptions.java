package dev.headway.cli.simulate;

import dev.headway.cli.command.CommandMessages;
import dev.headway.simulation.workload.TraceFormat;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** How a trace is read, on the command line. */
final class TraceOptions {

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description =
          "auto, azure, bailian, mooncake, llmservingsim, llmservingsim-run, vidur, burstgpt,"
              + " sharegpt, tracev2, measured or headway; auto goes by the columns (${DEFAULT-VALUE}).")
  private String format = TraceFormat.AUTO.label();

  @Mixin private LoadChanges changes;

  /** Checks all of them, and returns the format. */
  TraceFormat format(CommandMessages messages) {
    changes.check(messages);
    try {
      return TraceFormat.ofLabel(format);
    } catch (IllegalArgumentException e) {
      throw messages.wrong("--format: " + e.getMessage());
    }
  }

  double rateScale() {
    return changes.rateScale();
  }

  /** How many requests are taken, -1 for all. */
  long limit() {
    return changes.limit();
  }
}
