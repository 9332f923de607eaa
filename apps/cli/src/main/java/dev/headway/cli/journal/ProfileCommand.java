package dev.headway.cli.journal;

import dev.headway.events.model.RunModel;
import dev.headway.probes.chronicle.JournalEnd;
import dev.headway.probes.chronicle.JournalPump;
import dev.headway.probes.csv.option.Overwrite;
import dev.headway.report.profile.ProfileFile;
import dev.headway.report.profile.ProfileWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code headway profile}: from a journal to a scheduling profile. */
@Command(
    name = "profile",
    sortOptions = false,
    header = "Writes a scheduling profile: one JSON line per step.",
    description = {
      "",
      "Each line is compact JSON with the 17 members of vLLM's profiling fork, in its order, and ours after them. A step that scheduled no token has no line.",
      "",
      "The file is made beside its place and renamed when it is complete.",
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
    footer = {
      "  headway profile journal/",
      "  headway profile journal/ -o profile.jsonl.gz",
      "  headway profile journal/ -o - | jq 'select(.schedule_duration_ms>10)'"
    })
public final class ProfileCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Parameters(index = "0", paramLabel = "JOURNAL", description = "Directory of the journal.")
  private Path journal;

  @Option(
      names = {"-o", "--out", "--output"},
      paramLabel = "FILE",
      defaultValue = "scheduler_profiling.jsonl",
      description =
          "File to make, compressed if it ends in .gz; - for standard output. Default:"
              + " ${DEFAULT-VALUE}.")
  private String output;

  @Option(names = "--overwrite", description = "Replace the output if it exists.")
  private boolean overwrite;

  @Mixin private CommonOptions common;

  /** For picocli. */
  @SuppressWarnings("NullAway.Init") // picocli fills the fields
  public ProfileCommand() {}

  @Override
  public Integer call() {
    final CommandMessages messages = new CommandMessages(spec);
    try {
      return output.equals("-") ? toStandardOutput(messages) : toFile(messages);
    } catch (IOException | UncheckedIOException e) {
      return messages.failed(e);
    }
  }

  private int toFile(CommandMessages messages) throws IOException {
    final Overwrite existing = overwrite ? Overwrite.REPLACE : Overwrite.REFUSE;
    try (OutputFile file = OutputFile.prepare(Path.of(output), existing);
        TerminalProgress progress = common.progress(spec)) {
      final RunModel observer = ProfileWriter.toFile(ProfileFile.open(file.scratch(), 0));
      final JournalEnd end = JournalPump.pump(journal, observer, progress);
      file.publish();
      if (!common.isQuiet()) {
        messages.say("wrote " + output + " from " + end.records() + " records");
      }
      return messages.ended(end, observer.droppedRecords());
    }
  }

  private int toStandardOutput(CommandMessages messages) throws IOException {
    final PrintWriter out = spec.commandLine().getOut();
    final RunModel observer = ProfileWriter.toText(out);
    final JournalEnd end = JournalPump.pump(journal, observer, TerminalProgress.silent());
    out.flush();
    return messages.ended(end, observer.droppedRecords());
  }
}
