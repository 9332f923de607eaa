package dev.headway.cli.simulate;

import dev.headway.cli.command.CommandMessages;
import dev.headway.cli.command.InRange;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What is changed in a load on the way, on the command line. */
final class LoadChanges {

  @InRange(from = 0, above = true)
  @Option(
      names = "--rate-scale",
      paramLabel = "FACTOR",
      description = "Requests arrive this many times as fast (${DEFAULT-VALUE}).")
  private double rateScale = 1;

  @InRange(from = 1)
  @Option(names = "--limit", paramLabel = "N", description = "Take the first N requests only.")
  private @Nullable Long limit;

  void check(CommandMessages messages) {
    if (!(rateScale > 0) || Double.isInfinite(rateScale)) {
      throw messages.wrong("--rate-scale must be finite and > 0: --rate-scale=" + rateScale);
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
