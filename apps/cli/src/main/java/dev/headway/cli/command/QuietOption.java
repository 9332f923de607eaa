package dev.headway.cli.command;

import picocli.CommandLine.Option;

/** {@code --quiet} of a command line, and the progress that it silences. */
public final class QuietOption {

  @Option(
      names = {"-q", "--quiet"},
      order = 1, // behind those of the command
      description = "No progress and no summary.")
  private boolean quiet;

  /** Whether nothing but results and failures is to be printed. */
  public boolean isSet() {
    return quiet;
  }

  /** Progress of a simulation; {@code total} is -1 where it is not known. */
  public ProgressDisplay progress(String task, long total, String unit) {
    return quiet ? ProgressDisplay.silent() : ProgressDisplay.bar(task, total, unit);
  }

  /** Progress of a journal that is read. */
  public ProgressDisplay progress(CommandMessages messages) {
    return quiet
        ? ProgressDisplay.silent()
        : ProgressDisplay.ofJournal(messages.spec().name(), messages::say);
  }
}
