package dev.headway.cli.journal;

import dev.headway.events.model.RunModel;
import dev.headway.probes.chronicle.JournalEnd;
import dev.headway.probes.chronicle.JournalPump;
import dev.headway.probes.csv.option.Overwrite;
import dev.headway.report.trace.TraceExport;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.zip.GZIPOutputStream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code headway trace}: from a journal to a trace-event file. */
@Command(
    name = "trace",
    sortOptions = false,
    header = "Converts a journal to a trace for Perfetto.",
    description = {
      "",
      "Writes Chrome's trace-event format, for ui.perfetto.dev and chrome://tracing: a track per"
          + " request with what it did or waited for, steps with their parts, counters, and an"
          + " arrow from each victim of a preemption to whom it made room for. Times are exact to"
          + " the nanosecond.",
      "",
      "A wait whose reason changes more than 64 times is one slice from there on.",
      ""
    },
    parameterListHeading = "Parameters:%n",
    optionListHeading = "%nOptions:%n",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:The whole journal was converted.",
      "1:Failed: FILE is as it was before.",
      "2:The command line is wrong.",
      "3:Converted, but the journal is cut or damaged, or records were dropped; the message says"
          + " where."
    },
    footerHeading = "%nExamples:%n",
    footer = {"  headway trace journal/", "  headway trace journal/ -o trace.json.gz"})
public final class TraceCommand implements Callable<Integer> {

  private static final int BUFFER = 1 << 16;

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "JOURNAL", description = "Directory of the journal.")
  private Path journal;

  @Option(
      names = {"-o", "--out", "--output"},
      paramLabel = "FILE",
      defaultValue = "trace.json",
      description =
          "The file to write; compressed if its name ends in .gz. Default: ${DEFAULT-VALUE}.")
  private Path out;

  @Option(names = "--overwrite", description = "Replace FILE if it exists.")
  private boolean overwrite;

  @Mixin private CommonOptions common;

  /** For picocli. */
  @SuppressWarnings("NullAway.Init") // picocli fills the fields
  public TraceCommand() {}

  /** Returns the command line, for a program that has other subcommands as well. */
  public static CommandLine commandLine(TraceCommand command) {
    return new CommandLine(command);
  }

  @Override
  public Integer call() {
    final CommandMessages messages = new CommandMessages(spec);
    final Overwrite existing = overwrite ? Overwrite.REPLACE : Overwrite.REFUSE;
    try (OutputFile file = OutputFile.prepare(out, existing);
        TerminalProgress progress = common.progress(spec)) {
      final TraceExport export = new TraceExport(stream(file.scratch()));
      final JournalEnd end = JournalPump.pump(journal, new RunModel(export), progress);
      file.publish();
      if (!common.isQuiet()) {
        messages.say(
            "wrote " + export.events() + " events from " + end.records() + " records to " + out);
      }
      return messages.ended(end, export.droppedRecords());
    } catch (IOException | UncheckedIOException e) {
      return messages.failed(e);
    }
  }

  private OutputStream stream(Path file) throws IOException {
    final OutputStream buffered = new BufferedOutputStream(Files.newOutputStream(file), BUFFER);
    return out.toString().toLowerCase(Locale.ROOT).endsWith(".gz")
        ? new GZIPOutputStream(buffered, BUFFER)
        : buffered;
  }
}
