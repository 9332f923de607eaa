package dev.headway.cli.simulate;

import dev.headway.cli.command.CommandMessages;
import dev.headway.simulation.workload.TraceFormat;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How a trace is read, on the command line. */
final class TraceOptions {

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description =
          "auto, azure, bailian, mooncake, llmservingsim, vidur, burstgpt, sharegpt, tracev2,"
              + " measured or headway; auto goes by the columns (${DEFAULT-VALUE}).")
  private String format = TraceFormat.AUTO.label();

  @Option(
      names = "--rate-scale",
      paramLabel = "FACTOR",
      description = "Requests arrive this many times as fast (${DEFAULT-VALUE}).")
  private double rateScale = 1;

  @Option(names = "--limit", paramLabel = "N", description = "Take the first N requests only.")
  private @Nullable Long limit;

  /** Checks all of them, and returns the format. */
  TraceFormat format(CommandMessages messages) {
    if (!(rateScale > 0) || Double.isInfinite(rateScale)) {
      throw messages.wrong("--rate-scale must be finite and > 0: --rate-scale=" + rateScale);
    }
    if (limit != null && limit < 1) {
      throw messages.wrong("--limit must be >= 1: --limit=" + limit);
    }
    try {
      return TraceFormat.ofLabel(format);
    } catch (IllegalArgumentException e) {
      throw messages.wrong("--format: " + e.getMessage());
    }
  }

  double rateScale() {
    return rateScale;
  }

  /** How many requests are taken, -1 for all. */
  long limit() {
    return limit == null ? -1 : limit;
  }
}
