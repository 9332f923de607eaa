package dev.headway.cli.journal;

import dev.headway.events.model.RunModel;
import dev.headway.probes.chronicle.JournalEnd;
import dev.headway.probes.chronicle.JournalPump;
import dev.headway.probes.csv.OutputDirectory;
import dev.headway.probes.csv.option.Overwrite;
import dev.headway.probes.csv.training.TrainingExport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code headway training}: from a journal to training rows. */
@Command(
    name = "training",
    sortOptions = false,
    header = "Writes training rows for a model of waits and step times.",
    description = {
      "",
      "Writes to the new directory DIR:",
      "  alpha.csv      one row per request: how long it waited, and what it found",
      "  beta.csv       one row per step: how long it took, and what it computed",
      "  manifest.json  what every column means, and the runs",
      "Times are integer nanoseconds of one clock. Model, hardware, settings and attributes of the run are columns. No row is dropped: warm-up, preemptions and censored waits are flagged.",
      ""
    },
    parameterListHeading = "Parameters:%n",
    optionListHeading = "%nOptions:%n",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:The whole journal was written.",
      "1:Failed: the output is as it was before.",
      "2:The command line is wrong.",
      "3:Written, but the journal is cut or damaged, or records were dropped; the message says where."
    },
    footerHeading = "%nExamples:%n",
    footer = {"  headway training journal/ -o training/"})
public final class TrainingCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Parameters(index = "0", paramLabel = "JOURNAL", description = "Directory of the journal.")
  private Path journal;

  @Option(
      names = {"-o", "--out", "--output"},
      paramLabel = "DIR",
      required = true,
      description = "Directory to make; an empty one is taken.")
  private Path output;

  @Option(
      names = "--overwrite",
      description = "Replace DIR if it holds nothing but earlier training rows.")
  private boolean overwrite;

  @Mixin private CommonOptions common;

  /** For picocli. */
  @SuppressWarnings("NullAway.Init") // picocli fills the fields
  public TrainingCommand() {}

  @Override
  public Integer call() {
    final CommandMessages messages = new CommandMessages(spec);
    try (TerminalProgress progress = common.progress(spec)) {
      return write(messages, progress);
    } catch (IOException | UncheckedIOException e) {
      return messages.failed(e);
    }
  }

  private int write(CommandMessages messages, TerminalProgress progress) throws IOException {
    final Overwrite existing = overwrite ? Overwrite.REPLACE : Overwrite.REFUSE;
    final OutputDirectory directory =
        OutputDirectory.prepare(output, existing, TrainingExport.files());
    try {
      final RunModel observer = TrainingExport.to(directory.directory());
      final JournalEnd end = JournalPump.pump(journal, observer, progress);
      directory.publish();
      if (!common.isQuiet()) {
        messages.say("wrote " + output + " from " + end.records() + " records");
      }
      return messages.ended(end, observer.droppedRecords());
    } finally {
      directory.discard();
    }
  }
}
