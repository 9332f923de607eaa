package dev.headway.cli.journal;

import dev.headway.cli.command.OverwriteOption;
import dev.headway.probes.chronicle.JournalEnd;
import dev.headway.probes.csv.training.TrainingExport;
import dev.headway.toolbox.output.OutputDirectory;
import java.io.IOException;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code headway training}: from a journal to training rows. */
@Command(
    name = "training",
    header = "Writes training rows for a model of waits and step times.",
    description = {
      "",
      "Writes to the new directory DIR:",
      "  alpha.csv      one row per request: how long it waited, and what it found",
      "  beta.csv       one row per step: how long it took, and what it computed",
      "  egress.csv     one row per answer that left a server: how long that took",
      "  manifest.json  what every column means, and the runs",
      "Times are integer nanoseconds of one clock. Model, hardware, settings and attributes of the run are columns. No row is dropped: warm-up, preemptions and censored waits are flagged.",
      ""
    },
    footer = {"  headway training journal/ -o training/"})
public final class TrainingCommand extends JournalCommand {

  @Parameters(index = "0", paramLabel = "JOURNAL", description = "Directory of the journal.")
  private Path journal;

  @Option(
      names = {"-o", "--out", "--output"},
      paramLabel = "DIR",
      defaultValue = "training",
      description = "Directory to make (${DEFAULT-VALUE}).")
  private Path output;

  @Mixin private OverwriteOption overwrite;

  @Override
  int run() throws IOException {
    try (OutputDirectory directory =
        OutputDirectory.prepare(output, overwrite.mode(), TrainingExport.content())) {
      final JournalEnd end = read(journal, TrainingExport.to(directory.directory()));
      directory.publish();
      summary("wrote " + output + " from " + end.records() + " records");
      return ended(end);
    }
  }
}
