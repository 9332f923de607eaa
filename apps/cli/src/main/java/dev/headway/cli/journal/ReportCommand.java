package dev.headway.cli.journal;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.cli.command.ExitCode;
import dev.headway.cli.command.InRange;
import dev.headway.cli.command.OverwriteOption;
import dev.headway.cli.command.ProgressDisplay;
import dev.headway.probes.chronicle.JournalSource;
import dev.headway.report.html.JournalReport;
import dev.headway.report.html.figures.FiguresGatherer;
import dev.headway.report.html.figures.Slo;
import dev.headway.report.html.page.ReportPage;
import dev.headway.toolbox.output.OutputFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code headway report}: from a journal to one HTML file. */
@Command(
    name = "report",
    header = "Explains a run on one HTML page.",
    description = {
      "",
      "What limited the run, key numbers, a time line, lives of requests, waits with their"
          + " blockers, latencies, the scheduling profile, a cost model, the KV cache and"
          + " fairness; every figure with its definition, every picture with a table.",
      "",
      "The page is one file of a few megabytes at most, whatever the size of the journal. It"
          + " loads nothing, opens from disk, can be read without scripts, and printed.",
      ""
    },
    exitCodeList = {
      "0:The page was written from the whole journal.",
      "1:Failed: FILE is as it was before.",
      "2:The command line is wrong.",
      "3:Written, but a journal is cut or damaged, or records were dropped; the message and the"
          + " page say where."
    },
    footer = {
      "  headway report journal/",
      "  headway report journal/ --slo-ttft 2000 --slo-tpot 50",
      "  headway report journal/ -o before.html --compare other/journal/"
    })
public final class ReportCommand extends JournalCommand {

  private static final double LEAST_SLO_MS = 0.001;
  private static final double MOST_SLO_MS = 1e12;
  private static final double NS_PER_MS = 1e6;

  @Parameters(paramLabel = "JOURNAL", description = "Directory of the journal.")
  private Path journal;

  @Option(
      names = {"-o", "--out", "--output"},
      paramLabel = "FILE",
      defaultValue = "report.html",
      description = "Page to make (${DEFAULT-VALUE}).")
  private Path out;

  @Option(
      names = "--compare",
      paramLabel = "OTHER",
      description =
          "Compare with the latest run of another journal: differences with bootstrap intervals.")
  private @Nullable Path compared;

  @InRange(from = 0)
  @Option(
      names = "--run",
      paramLabel = "N",
      description = "Run of the journal: 0 is its first directory, run-000001 (the latest).")
  private @Nullable Integer run;

  @InRange(from = LEAST_SLO_MS, to = MOST_SLO_MS)
  @Option(
      names = "--slo-ttft",
      paramLabel = "MS",
      description =
          "Goodput: longest time to the first token. Without any limit, requests are judged by"
              + " their own targets.")
  private @Nullable Double sloTtftMs;

  @InRange(from = LEAST_SLO_MS, to = MOST_SLO_MS)
  @Option(
      names = {"--slo-tpot", "--slo-itl"},
      paramLabel = "MS",
      description = "Goodput: longest mean time per further token.")
  private @Nullable Double sloTpotMs;

  @InRange(from = LEAST_SLO_MS, to = MOST_SLO_MS)
  @Option(
      names = "--slo-e2e",
      paramLabel = "MS",
      description = "Goodput: longest time from arrival to the end.")
  private @Nullable Double sloEndToEndMs;

  @Mixin private OverwriteOption overwrite;

  @Override
  int run() throws IOException {
    final Integer wanted = run;
    final Slo slo = new Slo(nanos(sloTtftMs), nanos(sloTpotMs), nanos(sloEndToEndMs));
    return write(wanted == null ? FiguresGatherer.LATEST : wanted, slo);
  }

  private static long nanos(@Nullable Double ms) {
    if (ms == null) {
      return ABSENT;
    }
    return Math.round(ms * NS_PER_MS);
  }

  private int write(int wanted, Slo slo) throws IOException {
    OutputFile.check(out, overwrite.mode()); // before a long journal is read
    final ReportPage.Source source = read(journal, wanted, slo);
    final Path other = compared;
    final ReportPage.Source second =
        other == null ? null : read(other, FiguresGatherer.LATEST, slo);
    final byte[] page = ReportPage.render(source, second).getBytes(StandardCharsets.UTF_8);
    try (OutputFile file = OutputFile.prepare(out, overwrite.mode())) {
      Files.write(file.scratch(), page);
      file.publish();
    }
    summary("wrote " + (page.length + 1023) / 1024 + " KiB to " + out);
    return Math.max(ended(source.end()), second == null ? ExitCode.OK : ended(second.end()));
  }

  private ReportPage.Source read(Path from, int wanted, Slo slo) throws IOException {
    try (JournalSource source = JournalSource.open(from);
        ProgressDisplay progress = progress()) {
      return JournalReport.read(source, from.toString(), wanted, slo, progress);
    } catch (NoSuchElementException e) { // no such run
      throw new IOException(e.getMessage(), e);
    }
  }
}
