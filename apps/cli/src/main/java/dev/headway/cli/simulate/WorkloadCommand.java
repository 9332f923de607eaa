package dev.headway.cli.simulate;

import dev.headway.cli.command.CommandMessages;
import dev.headway.cli.command.ExitCode;
import dev.headway.cli.command.OverwriteOption;
import dev.headway.cli.command.ProgressDisplay;
import dev.headway.cli.command.QuietOption;
import dev.headway.simulation.compare.Load;
import dev.headway.simulation.workload.TraceWriters;
import dev.headway.simulation.workload.Workload;
import dev.headway.simulation.workload.WorkloadRequest;
import dev.headway.simulation.workload.WrittenFormat;
import dev.headway.toolbox.output.OutputFile;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code headway workload}: a load to a trace file, and what it is like. */
@Command(
    name = "workload",
    mixinStandardHelpOptions = true,
    header = "Writes a load as a trace, and says what it is like.",
    description = {
      "",
      "Makes the requests of LOAD, or reads them, and writes them as a trace for replay or for other simulators. canonical holds all of a load; what another format cannot hold is counted. tracev2 makes two files, FILE and the header beside it with the suffix .yaml. A FILE that ends with .gz is compressed. Without -o the load is only described.",
      ""
    },
    exitCodeList = {
      "0:The whole load was read, and written if -o is given.",
      "1:Failed: FILE is as it was before.",
      "2:The command line is wrong."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  headway workload --list",
      "  headway workload \\",
      "      'generated(rate=ramp:1:20:300,seconds=600,output=lognormal:5:0.8)'",
      "  headway workload 'chatbot(rate=30,requests=10000,seed=1)' -o chatbot.csv",
      "  headway workload spec.yaml -o blis.csv --output-format tracev2",
      "  headway workload trace.csv.gz --rate-scale 2 -o twice.jsonl \\",
      "      --output-format mooncake"
    })
public final class WorkloadCommand implements Callable<Integer> {

  @Mixin private final CommandMessages messages = new CommandMessages();

  @Parameters(
      arity = "0..1",
      paramLabel = "LOAD",
      description =
          "A made-up load with options, as in chatbot(rate=30); CSV, JSONL or ShareGPT file;"
              + " journal; workload spec of BLIS in YAML; directory of ServeGen.")
  private @Nullable String source;

  @Option(names = "--list", description = "Print the made-up loads and their options, and stop.")
  private boolean list;

  @Option(
      names = {"-o", "--out", "--output"},
      paramLabel = "FILE",
      description = "File to make.")
  private @Nullable Path output;

  @Option(
      names = "--output-format",
      paramLabel = "FORMAT",
      description = "Format to write: canonical, mooncake or tracev2 (${DEFAULT-VALUE}).")
  private String format = WrittenFormat.CANONICAL.label();

  @Mixin private WorkloadSource options;
  @Mixin private OverwriteOption overwrite;
  @Mixin private QuietOption quiet;

  @Override
  public Integer call() {
    if (list) {
      messages.print(LoadListing.text());
      return ExitCode.OK;
    }
    final WrittenFormat written = writtenFormat();
    final Load load = options.load(source, messages);
    try {
      return output == null ? describe(load) : write(load, written, output);
    } catch (IOException | UncheckedIOException e) {
      return messages.failed(e);
    } catch (IllegalArgumentException e) {
      throw messages.wrong(e.getMessage());
    }
  }

  private WrittenFormat writtenFormat() {
    try {
      return WrittenFormat.ofLabel(format);
    } catch (IllegalArgumentException e) {
      throw messages.wrong("--output-format: " + e.getMessage());
    }
  }

  private int describe(Load load) throws IOException {
    try (DescribedLoad workload = open(load)) {
      WorkloadRequest next;
      do {
        next = workload.next();
      } while (next != null);
      messages.print("%n  %s%n%n%s".formatted(load.name(), workload.text()));
    }
    return ExitCode.OK;
  }

  private int write(Load load, WrittenFormat written, Path file) throws IOException {
    final Path header = written == WrittenFormat.TRACEV2 ? headerOf(file) : null;
    try (OutputFile data = OutputFile.prepare(file, overwrite.mode());
        OutputFile second = header == null ? null : OutputFile.prepare(header, overwrite.mode());
        DescribedLoad workload = open(load)) {
      final TraceWriters.Written result;
      try (Writer out = writer(data.scratch())) {
        result = TraceWriters.write(workload, written, out);
      }
      if (second != null) {
        Files.writeString(second.scratch(), TraceWriters.traceV2Header(load.name()));
        second.publish();
      }
      data.publish();
      if (!quiet.isSet()) {
        final String files = header == null ? "" + file : file + ", " + header;
        messages.print(
            "%n  %s%n%n%s%s  wrote         %s%n"
                .formatted(load.name(), workload.text(), lost(result), files));
      }
    }
    return ExitCode.OK;
  }

  private DescribedLoad open(Load load) throws IOException {
    final Workload workload = load.open();
    final ProgressDisplay progress =
        quiet.progress("workload", workload.sizeHint().orElse(-1), " requests");
    return new DescribedLoad(workload, progress);
  }

  private static Path headerOf(Path file) {
    final String name = String.valueOf(file.getFileName());
    return file.resolveSibling(name.replaceFirst("(?i)(\\.csv)?(\\.gz)?$", "") + ".yaml");
  }

  private static Writer writer(Path file) throws IOException {
    final OutputStream out = Files.newOutputStream(file);
    final boolean compressed = file.toString().toLowerCase(Locale.ROOT).endsWith(".gz");
    return new BufferedWriter(
        new OutputStreamWriter(
            compressed ? new GZIPOutputStream(out, 1 << 16) : out, StandardCharsets.UTF_8));
  }

  private static String lost(TraceWriters.Written result) {
    final StringBuilder text = new StringBuilder();
    result
        .losses()
        .forEach((what, count) -> text.append("  not written   %s: %,d%n".formatted(what, count)));
    return text.toString();
  }
}
