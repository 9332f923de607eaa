package dev.headway.cli.journal;

import dev.headway.events.model.RunModel;
import dev.headway.probes.chronicle.JournalEnd;
import dev.headway.probes.chronicle.JournalPump;
import dev.headway.probes.csv.option.Overwrite;
import dev.headway.report.fpm.ForwardPassWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code headway fpm}: from a journal to forward-pass metrics. */
@Command(
    name = "fpm",
    sortOptions = false,
    header = "Writes forward-pass metrics: one JSON line per executed step.",
    description = {
      "",
      "The members and their order are those of shape F1 that Dynamo and SGLang send as msgpack over ZeroMQ. This file has the records only: sending them needs a message bus, which Headway does not bring.",
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
      "  headway fpm journal/ -o fpm.jsonl",
      "  headway fpm journal/ -o fpm.jsonl --worker-id node-7"
    })
public final class FpmCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Parameters(index = "0", paramLabel = "JOURNAL", description = "Directory of the journal.")
  private Path journal;

  @Option(
      names = {"-o", "--out", "--output"},
      paramLabel = "FILE",
      defaultValue = "fpm.jsonl",
      description = "File to make. Default: ${DEFAULT-VALUE}.")
  private Path output;

  @Option(
      names = "--worker-id",
      paramLabel = "ID",
      defaultValue = "headway",
      description = "The worker_id of every record. Default: ${DEFAULT-VALUE}.")
  private String workerId;

  @Option(names = "--overwrite", description = "Replace the output if it exists.")
  private boolean overwrite;

  @Mixin private CommonOptions common;

  /** For picocli. */
  @SuppressWarnings("NullAway.Init") // picocli fills the fields
  public FpmCommand() {}

  @Override
  public Integer call() {
    final CommandMessages messages = new CommandMessages(spec);
    final Overwrite existing = overwrite ? Overwrite.REPLACE : Overwrite.REFUSE;
    try (OutputFile file = OutputFile.prepare(output, existing);
        TerminalProgress progress = common.progress(spec)) {
      final RunModel observer;
      final JournalEnd end;
      try (Writer out = Files.newBufferedWriter(file.scratch())) {
        observer = ForwardPassWriter.ofJournal(out, workerId);
        end = JournalPump.pump(journal, observer, progress);
      }
      file.publish();
      if (!common.isQuiet()) {
        messages.say("wrote " + output + " from " + end.records() + " records");
      }
      return messages.ended(end, observer.droppedRecords());
    } catch (IOException | UncheckedIOException e) {
      return messages.failed(e);
    }
  }
}
