package dev.headway.cli.journal;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** Options that every command here has. */
final class CommonOptions {

  @Option(
      names = {"-q", "--quiet"},
      description = "No progress and no summary.")
  private boolean quiet;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this text.")
  @SuppressWarnings("UnusedVariable") // picocli looks at it
  private boolean help;

  @SuppressWarnings("NullAway.Init") // picocli fills the fields
  CommonOptions() {}

  boolean isQuiet() {
    return quiet;
  }

  /** Progress, unless nobody wants to see it. */
  TerminalProgress progress(CommandSpec spec) {
    return quiet
        ? TerminalProgress.silent()
        : TerminalProgress.open(spec.name(), spec.commandLine().getErr());
  }
}
