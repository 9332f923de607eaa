package dev.headway.cli.journal;

import dev.headway.api.internal.SafeText;
import dev.headway.cli.command.ExitCode;
import dev.headway.cli.command.ProgressDisplay;
import dev.headway.probes.chronicle.JournalSource;
import dev.headway.probes.csv.CsvConverter;
import dev.headway.probes.csv.check.MalformedCellException;
import dev.headway.probes.csv.check.TimingCheck;
import dev.headway.probes.csv.check.Verdict;
import dev.headway.probes.csv.option.ConvertOptions;
import dev.headway.probes.csv.option.IdLists;
import dev.headway.probes.csv.option.IterationRequests;
import dev.headway.probes.csv.option.TextPolicy;
import dev.headway.toolbox.output.OverwriteMode;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code headway check-timing}: plausibility of times. */
@Command(
    name = "check-timing",
    header = "Checks that the times of requests are plausible.",
    description = {
      "",
      "Reads a directory of CSV files made by convert or bench, one of their files of requests, or"
          + " a journal, and prints each rule with PASS, FAIL or SKIP, how many rows it looked at,"
          + " how many break it, and the first of those. Rules about several files are skipped if"
          + " one of them is not there.",
      ""
    },
    exitCodeList = {
      "0:No rule failed.",
      "1:A file cannot be read.",
      "2:The command line is wrong.",
      "3:No rule failed, but the journal is cut or damaged, or records were dropped.",
      "4:A rule failed."
    },
    footer = {
      "  headway check-timing csv/",
      "  headway check-timing csv/per_request.csv",
      "  headway check-timing bench/node_requests.csv",
      "  headway check-timing journal/"
    })
public final class CheckTimingCommand extends JournalCommand {

  private static final String REQUESTS = "per_request.csv";

  private static final ConvertOptions OPTIONS =
      new ConvertOptions(
          OverwriteMode.REFUSE, TextPolicy.NEUTRALISED, IterationRequests.OFF, IdLists.COMPACT);

  @Parameters(
      index = "0",
      paramLabel = "CSV_DIR|FILE|JOURNAL",
      description = "Where the times are.")
  private Path input;

  @Override
  int run() throws IOException {
    requireOneRun();
    try {
      return isJournal() ? checkJournal() : print(TimingCheck.run(input));
    } catch (MalformedCellException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  private boolean isJournal() {
    return Files.isDirectory(input) && !TimingCheck.hasTimes(input);
  }

  /** The live probe makes a directory of files for each run, below the one it was given. */
  private void requireOneRun() throws IOException {
    if (!isJournal()) {
      return;
    }
    final List<String> runs = new ArrayList<>();
    try (DirectoryStream<Path> children = Files.newDirectoryStream(input, Files::isDirectory)) {
      for (Path child : children) {
        if (Files.exists(child.resolve(REQUESTS))) {
          runs.add(child.toString());
        }
      }
    }
    if (!runs.isEmpty()) {
      runs.sort(null);
      throw new IOException("one run must be named: runs=" + runs);
    }
  }

  /** Converts it to a temporary directory first: the rules are about files. */
  private int checkJournal() throws IOException {
    final Path temporary = Files.createTempDirectory("headway-check-timing");
    final Path csv = temporary.resolve("csv");
    try (JournalSource source = JournalSource.open(input);
        ProgressDisplay progress = progress()) {
      final CsvConverter.Summary summary =
          new CsvConverter(source, csv, OPTIONS, progress).convert();
      final int journal = ended(summary.end());
      final int rules = print(TimingCheck.run(csv));
      return rules == ExitCode.OK ? journal : rules;
    } finally {
      delete(csv);
      Files.delete(temporary);
    }
  }

  private int print(List<Verdict> verdicts) {
    final StringBuilder text = new StringBuilder();
    long failed = 0;
    for (Verdict verdict : verdicts) {
      text.append(line(verdict));
      if (verdict.status() == Verdict.Status.FAIL) {
        failed++;
        text.append("      must hold: %s%n".formatted(verdict.requirement()));
        text.append("      first:     %s%n".formatted(SafeText.of(verdict.detail())));
      }
    }
    messages.print(
        text
            + (failed == 0 ? "no rule failed" : failed + " of " + verdicts.size() + " rules failed")
            + System.lineSeparator());
    return failed == 0 ? ExitCode.OK : ExitCode.RULE_FAILED;
  }

  private static String line(Verdict verdict) {
    final String figures =
        verdict.status() == Verdict.Status.SKIP
            ? verdict.detail()
            : "checked=" + verdict.checked() + ", violations=" + verdict.violations();
    return String.format(
        Locale.ROOT, "%-4s  %-22s %s%n", verdict.status(), verdict.rule(), SafeText.of(figures));
  }

  private static void delete(Path directory) throws IOException {
    if (Files.exists(directory)) {
      try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
        for (Path file : files) {
          Files.delete(file);
        }
      }
      Files.delete(directory);
    }
  }
}
