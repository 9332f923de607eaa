package dev.headway.cli.journal;

import dev.headway.events.text.SafeText;
import dev.headway.report.analyze.Analysis;
import dev.headway.report.analyze.AnalysisJson;
import dev.headway.report.analyze.AnalysisText;
import dev.headway.report.analyze.Comparison;
import dev.headway.report.analyze.StepTable;
import dev.headway.report.analyze.WarmUp;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code headway analyze}: statistics of a profile, or of two. */
@Command(
    name = "analyze",
    sortOptions = false,
    header = "Prints statistics of a profile, and compares two.",
    description = {
      "",
      "Reads a scheduling profile (ours, that of vLLM's profiling fork, and its two later shapes; plain or .gz), or a journal.",
      "",
      "All steps count in the first column of figures; the second leaves out warm-up and outliers, which are those beyond the median + 8 median absolute deviations. Comparisons have 95 %% intervals of a bootstrap over blocks of consecutive steps; a difference is significant if its interval leaves out 0.",
      ""
    },
    parameterListHeading = "Parameters:%n",
    optionListHeading = "%nOptions:%n",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:Done.",
      "1:Failed, or there is no step to analyse.",
      "2:The command line is wrong.",
      "3:Done, but lines were skipped, or the journal is not whole; the message says so."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  headway analyze scheduler_profiling.jsonl",
      "  headway analyze journal/ --warm-up 2s",
      "  headway analyze before.jsonl --compare after.jsonl",
      "  headway analyze profile.jsonl --json | jq .analysis.figures"
    })
public final class AnalyzeCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

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
              + " seconds (2.5s). Default: ${DEFAULT-VALUE}.")
  private String warmUp;

  @Option(names = "--json", description = "Print one line of JSON.")
  private boolean asJson;

  @Mixin private CommonOptions common;

  /** For picocli. */
  @SuppressWarnings("NullAway.Init") // picocli fills the fields
  public AnalyzeCommand() {}

  @Override
  public Integer call() {
    final CommandMessages messages = new CommandMessages(spec);
    final WarmUp rule;
    try {
      rule = WarmUp.parse(warmUp);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), "--warm-up: " + e.getMessage(), e);
    }
    try (TerminalProgress progress = common.progress(spec)) {
      final StepSource source = new StepSource(messages, progress);
      final StepTable first = source.read(input);
      final StepTable second = other == null ? null : source.read(other);
      print(first, second, rule);
      return source.isWhole() ? CommandMessages.OK : CommandMessages.INCOMPLETE;
    } catch (IOException | UncheckedIOException e) {
      return messages.failed(e);
    }
  }

  private void print(StepTable first, @Nullable StepTable second, WarmUp rule) {
    final Analysis analysis = Analysis.of(first, rule);
    final Analysis compared = second == null ? null : Analysis.of(second, rule);
    final Comparison comparison = second == null ? null : Comparison.of(first, second);
    final PrintWriter out = spec.commandLine().getOut();
    if (asJson) {
      out.println(AnalysisJson.of(analysis, compared, comparison));
    } else if (compared == null || comparison == null) {
      out.print(AnalysisText.of(analysis));
    } else {
      out.println("A: " + SafeText.of(String.valueOf(input)));
      out.println(AnalysisText.of(analysis));
      out.println("B: " + SafeText.of(String.valueOf(other)));
      out.println(AnalysisText.of(compared));
      out.print(AnalysisText.of(comparison));
    }
    out.flush();
  }
}
