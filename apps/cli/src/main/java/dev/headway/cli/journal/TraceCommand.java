package dev.headway.cli.journal;

import dev.headway.cli.command.OverwriteOption;
import dev.headway.events.model.RunModel;
import dev.headway.probes.chronicle.JournalEnd;
import dev.headway.report.trace.TraceExport;
import dev.headway.toolbox.output.OutputFile;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.zip.GZIPOutputStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code headway trace}: from a journal to a trace-event file. */
@Command(
    name = "trace",
    header = "Converts a journal to a trace for Perfetto.",
    description = {
      "",
      "Writes Chrome's trace-event format, for ui.perfetto.dev and chrome://tracing: a track per"
          + " request with what it did or waited for, steps with their parts, counters, and an"
          + " arrow from each preempted request to the one that took its place. Times are exact to"
          + " the nanosecond.",
      "",
      "A wait whose reason changes more than 64 times is one slice from there on.",
      ""
    },
    footer = {"  headway trace journal/", "  headway trace journal/ -o trace.json.gz"})
public final class TraceCommand extends JournalCommand {

  private static final int BUFFER = 1 << 16;

  @Parameters(paramLabel = "JOURNAL", description = "Directory of the journal.")
  private Path journal;

  @Option(
      names = {"-o", "--out", "--output"},
      paramLabel = "FILE",
      defaultValue = "trace.json",
      description = "File to make, compressed if its name ends in .gz (${DEFAULT-VALUE}).")
  private Path out;

  @Mixin private OverwriteOption overwrite;

  @Override
  int run() throws IOException {
    try (OutputFile file = OutputFile.prepare(out, overwrite.mode())) {
      final TraceExport export = new TraceExport(stream(file.scratch()));
      final JournalEnd end = read(journal, new RunModel(export));
      file.publish();
      summary("wrote " + export.events() + " events from " + end.records() + " records to " + out);
      return ended(end);
    }
  }

  private OutputStream stream(Path file) throws IOException {
    final OutputStream buffered = new BufferedOutputStream(Files.newOutputStream(file), BUFFER);
    return out.toString().toLowerCase(Locale.ROOT).endsWith(".gz")
        ? new GZIPOutputStream(buffered, BUFFER)
        : buffered;
  }
}
