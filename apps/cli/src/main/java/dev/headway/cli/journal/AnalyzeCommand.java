package dev.headway.cli.journal;

import dev.headway.api.internal.SafeText;
import dev.headway.cli.command.ExitCode;
import dev.headway.cli.command.OverwriteOption;
import dev.headway.report.analyze.Analysis;
import dev.headway.report.analyze.AnalysisJson;
import dev.headway.report.analyze.AnalysisText;
import dev.headway.report.analyze.Comparison;
import dev.headway.report.analyze.ProfileReader;
import dev.headway.report.analyze.StepTable;
import dev.headway.report.analyze.StepTables;
import dev.headway.report.analyze.WarmUp;
import dev.headway.report.html.page.ProfilePage;
import dev.headway.toolbox.output.OutputFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code headway analyze}: statistics of a profile, or of two. */
@Command(
    name = "analyze",
    header = "Prints statistics of a profile, and compares two.",
    description = {
      "",
      "Reads a scheduling profile (ours, that of vLLM's profiling fork, and its two later shapes;"
          + " plain or .gz), or a journal.",
      "",
      "All steps count in the first column of figures; the second leaves out warm-up and outliers,"
          + " which are those beyond the median + 8 median absolute deviations. Comparisons have 95"
          + " %% intervals of a bootstrap over blocks of consecutive steps; a difference is"
          + " significant if its interval leaves out 0.",
      ""
    },
    exitCodeList = {
      "0:Done.",
      "1:Failed, or there is no step to analyse.",
      "2:The command line is wrong.",
      "3:Done, but lines were skipped, or the journal is not whole; the message says so."
    },
    footer = {
      "  headway analyze scheduler_profiling.jsonl",
      "  headway analyze journal/ --warm-up 2s",
      "  headway analyze profile.jsonl --html profile.html",
      "  headway analyze before.jsonl --compare after.jsonl",
      "  headway analyze profile.jsonl --json | jq .analysis.figures"
    })
public final class AnalyzeCommand extends JournalCommand {

  @Parameters(
      index = "0",
      paramLabel = "FILE|JOURNAL",
      description = "Profile, or directory of a journal.")
  private Path input;

  @Option(
      names = "--compare",
      paramLabel = "OTHER",
      description = "Another profile or journal: B, next to A.")
  private @Nullable Path other;

  @Option(
      names = "--warm-up",
      paramLabel = "N|Ns",
      defaultValue = "10",
      description =
          "Steps of each run that are flagged as warm-up: the first N, or those of the first N"
              + " seconds, as in 2.5s (${DEFAULT-VALUE}).")
  private String warmUp;

  @Option(
      names = "--html",
      paramLabel = "FILE",
      description =
          "Page to make: the six plots, chunk sizes, suspicious steps, trends; not of OTHER.")
  private @Nullable Path page;

  @Mixin private OverwriteOption overwrite;

  @Option(names = "--json", description = "Print JSON instead of text.")
  private boolean asJson;

  @Override
  int run() throws IOException {
    final WarmUp rule;
    try {
      rule = WarmUp.parse(warmUp);
    } catch (IllegalArgumentException e) {
      throw messages.wrong("--warm-up: " + e.getMessage());
    }
    if (page != null) {
      OutputFile.check(page, overwrite.mode()); // before a long profile is read
    }
    try (StepTable first = new StepTable();
        StepTable second = new StepTable()) {
      final int code = fill(first, input);
      if (page != null) {
        write(page, ProfilePage.render(String.valueOf(input), first, Analysis.of(first, rule)));
      }
      if (other == null) {
        print(first, null, rule);
        return code;
      }
      final int codeOfOther = fill(second, other);
      print(first, second, rule);
      return Math.max(code, codeOfOther);
    }
  }

  private void write(Path to, String html) throws IOException {
    try (OutputFile file = OutputFile.prepare(to, overwrite.mode())) {
      Files.writeString(file.scratch(), html);
      file.publish();
    }
    summary("wrote " + to);
  }

  /** Reads all steps, of which there must be one; says what was wrong and returns the exit code. */
  private int fill(StepTable table, Path from) throws IOException {
    final int code =
        Files.isDirectory(from)
            ? ended(read(from, StepTables.consumer(table)))
            : fillFromProfile(table, from);
    if (table.size() == 0) {
      throw new IOException(from + " has no step to analyse");
    }
    return code;
  }

  private int fillFromProfile(StepTable table, Path file) throws IOException {
    if (!Files.exists(file)) {
      throw new IOException("there is no profile and no journal at " + file);
    }
    final ProfileReader.Summary read = ProfileReader.read(file, table);
    if (read.truncated()) {
      messages.say("the last line is cut and was left out: file=" + file);
    }
    if (read.malformed() > 0) {
      messages.say(
          "lines that are no record were skipped: malformed="
              + read.malformed()
              + ", records="
              + read.records()
              + ", file="
              + file);
    }
    return read.truncated() || read.malformed() > 0 ? ExitCode.INCOMPLETE : ExitCode.OK;
  }

  private void print(StepTable first, @Nullable StepTable second, WarmUp rule) {
    final Analysis analysis = Analysis.of(first, rule);
    final Analysis compared = second == null ? null : Analysis.of(second, rule);
    final Comparison comparison = second == null ? null : Comparison.of(first, second);
    if (asJson) {
      messages.print(AnalysisJson.of(analysis, compared, comparison) + System.lineSeparator());
    } else if (compared == null || comparison == null) {
      messages.print(AnalysisText.of(analysis));
    } else {
      messages.print(
          "A: %s%n%s%nB: %s%n%s%n%s"
              .formatted(
                  SafeText.of(String.valueOf(input)),
                  AnalysisText.of(analysis),
                  SafeText.of(String.valueOf(other)),
                  AnalysisText.of(compared),
                  AnalysisText.of(comparison)));
    }
  }
}
