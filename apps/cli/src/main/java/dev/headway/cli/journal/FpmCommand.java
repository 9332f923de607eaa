package dev.headway.cli.journal;

import dev.headway.cli.command.OverwriteOption;
import dev.headway.probes.chronicle.JournalEnd;
import dev.headway.report.fpm.ForwardPassWriter;
import dev.headway.toolbox.output.OutputFile;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code headway fpm}: from a journal to forward-pass metrics. */
@Command(
    name = "fpm",
    header = "Writes forward-pass metrics: one JSON line per executed step.",
    description = {
      "",
      "The members and their order are those of shape F1 that Dynamo and SGLang send as msgpack over ZeroMQ. This file has the records; headway serve --forward-pass-metrics-port sends them.",
      "",
      "The file is made beside its place and renamed when it is complete.",
      ""
    },
    footer = {
      "  headway fpm journal/ -o fpm.jsonl",
      "  headway fpm journal/ -o fpm.jsonl --worker-id node-7"
    })
public final class FpmCommand extends JournalCommand {

  @Parameters(index = "0", paramLabel = "JOURNAL", description = "Directory of the journal.")
  private Path journal;

  @Option(
      names = {"-o", "--out", "--output"},
      paramLabel = "FILE",
      defaultValue = "fpm.jsonl",
      description = "File to make (${DEFAULT-VALUE}).")
  private Path output;

  @Option(
      names = "--worker-id",
      paramLabel = "ID",
      defaultValue = "headway",
      description = "The worker_id of every record (${DEFAULT-VALUE}).")
  private String workerId;

  @Mixin private OverwriteOption overwrite;

  @Override
  int run() throws IOException {
    try (OutputFile file = OutputFile.prepare(output, overwrite.mode())) {
      final JournalEnd end;
      try (Writer out = Files.newBufferedWriter(file.scratch())) {
        end = read(journal, ForwardPassWriter.ofJournal(out, workerId));
      }
      file.publish();
      summary("wrote " + output + " from " + end.records() + " records");
      return ended(end);
    }
  }
}
