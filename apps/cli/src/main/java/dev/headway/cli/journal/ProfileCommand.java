package dev.headway.cli.journal;

import dev.headway.cli.command.OverwriteOption;
import dev.headway.cli.command.ProgressDisplay;
import dev.headway.probes.chronicle.JournalEnd;
import dev.headway.probes.chronicle.JournalPump;
import dev.headway.report.profile.ProfileFile;
import dev.headway.report.profile.ProfileWriter;
import dev.headway.toolbox.output.OutputFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code headway profile}: from a journal to a scheduling profile. */
@Command(
    name = "profile",
    header = "Writes a scheduling profile: one JSON line per step.",
    description = {
      "",
      "Each line is compact JSON with the 17 members of vLLM's profiling fork, in its order, and ours after them. A step that scheduled no token has no line.",
      "",
      "The file is made beside its place and renamed when it is complete.",
      ""
    },
    footer = {
      "  headway profile journal/",
      "  headway profile journal/ -o profile.jsonl.gz",
      "  headway profile journal/ -o - | jq 'select(.schedule_duration_ms>10)'"
    })
public final class ProfileCommand extends JournalCommand {

  @Parameters(index = "0", paramLabel = "JOURNAL", description = "Directory of the journal.")
  private Path journal;

  @Option(
      names = {"-o", "--out", "--output"},
      paramLabel = "FILE",
      defaultValue = "scheduler_profiling.jsonl",
      description =
          "File to make, compressed if it ends in .gz; - for standard output"
              + " (${DEFAULT-VALUE}).")
  private String output;

  @Mixin private OverwriteOption overwrite;

  @Override
  int run() throws IOException {
    return output.equals("-") ? toStandardOutput() : toFile();
  }

  private int toFile() throws IOException {
    try (OutputFile file = OutputFile.prepare(Path.of(output), overwrite.mode())) {
      final JournalEnd end =
          read(journal, ProfileWriter.toFile(ProfileFile.open(file.scratch(), 0)));
      file.publish();
      summary("wrote " + output + " from " + end.records() + " records");
      return ended(end);
    }
  }

  private int toStandardOutput() throws IOException {
    final PrintWriter out = messages.spec().commandLine().getOut();
    final JournalEnd end =
        JournalPump.pump(journal, ProfileWriter.toText(out), ProgressDisplay.silent());
    out.flush();
    return ended(end);
  }
}
