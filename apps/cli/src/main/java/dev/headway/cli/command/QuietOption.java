package dev.headway.cli.command;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code --quiet} of a command line, and the progress that it silences. */
public final class QuietOption {

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  @Option(
      names = {"-q", "--quiet"},
      order = 1, // behind those of the command
      description = "No progress and no summary.")
  private boolean quiet;

  /** For picocli, which sets the command. */
  @SuppressWarnings("NullAway.Init")
  public QuietOption() {}

  /** Whether nothing but results and failures is to be printed. */
  public boolean isSet() {
    return quiet;
  }

  /** Progress of work in {@code unit}s; {@code total} is -1 where it is not known. */
  public ProgressDisplay progress(String task, long total, String unit) {
    return quiet
        ? ProgressDisplay.silent()
        : ProgressDisplay.of(task, total, unit, new CommandMessages(spec)::say);
  }

  /** Progress of a journal that is read. */
  public ProgressDisplay journalProgress() {
    return quiet
        ? ProgressDisplay.silent()
        : ProgressDisplay.ofJournal(spec.name(), new CommandMessages(spec)::say);
  }
}
