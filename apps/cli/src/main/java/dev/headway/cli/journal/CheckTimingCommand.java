package dev.headway.cli.journal;

import dev.headway.events.text.SafeText;
import dev.headway.probes.chronicle.JournalSource;
import dev.headway.probes.csv.CsvConverter;
import dev.headway.probes.csv.check.MalformedCellException;
import dev.headway.probes.csv.check.TimingCheck;
import dev.headway.probes.csv.check.Verdict;
import dev.headway.probes.csv.option.ConvertOptions;
import dev.headway.probes.csv.option.IdLists;
import dev.headway.probes.csv.option.IterationRequests;
import dev.headway.probes.csv.option.Overwrite;
import dev.headway.probes.csv.table.TextPolicy;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code headway check-timing}: plausibility of times. */
@Command(
    name = "check-timing",
    sortOptions = false,
    header = "Checks that the times of requests are plausible.",
    description = {
      "",
      "Reads a directory of CSV files made by convert, a per_request.csv, or a journal, and prints each rule with PASS, FAIL or SKIP, how many rows it looked at, how many break it, and the first of those. Rules about several files are skipped if one of them is not there.",
      ""
    },
    parameterListHeading = "Parameters:%n",
    optionListHeading = "%nOptions:%n",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:No rule failed.",
      "1:A file cannot be read.",
      "2:The command line is wrong.",
      "3:No rule failed, but the journal is cut or damaged, or records were dropped.",
      "4:A rule failed."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  headway check-timing csv/",
      "  headway check-timing csv/per_request.csv",
      "  headway check-timing journal/"
    })
public final class CheckTimingCommand implements Callable<Integer> {

  static final int RULE_FAILED = 4;

  private static final String REQUESTS = "per_request.csv";

  private static final ConvertOptions OPTIONS =
      new ConvertOptions(
          Overwrite.REFUSE, TextPolicy.NEUTRALISED, IterationRequests.OFF, IdLists.COMPACT);

  @Spec private CommandSpec spec;

  @Parameters(
      index = "0",
      paramLabel = "CSV_DIR|FILE|JOURNAL",
      description = "Where the times are.")
  private Path input;

  @Mixin private CommonOptions common;

  /** For picocli. */
  @SuppressWarnings("NullAway.Init") // picocli fills the fields
  public CheckTimingCommand() {}

  @Override
  public Integer call() {
    final CommandMessages messages = new CommandMessages(spec);
    try {
      requireOneRun();
      return isJournal() ? checkJournal(messages) : print(TimingCheck.run(input));
    } catch (IOException | UncheckedIOException | MalformedCellException e) {
      return messages.failed(e);
    }
  }

  private boolean isJournal() {
    return Files.isDirectory(input) && !Files.exists(input.resolve(REQUESTS));
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
  private int checkJournal(CommandMessages messages) throws IOException {
    final Path temporary = Files.createTempDirectory("headway-check-timing");
    final Path csv = temporary.resolve("csv");
    try (JournalSource source = JournalSource.open(input);
        TerminalProgress progress = common.progress(spec)) {
      final CsvConverter.Summary summary =
          new CsvConverter(source, csv, OPTIONS, progress).convert();
      final int journal = messages.ended(summary.end(), summary.droppedRecords());
      final int rules = print(TimingCheck.run(csv));
      return rules == CommandMessages.OK ? journal : rules;
    } finally {
      delete(csv);
      Files.delete(temporary);
    }
  }

  private int print(List<Verdict> verdicts) {
    final PrintWriter out = spec.commandLine().getOut();
    long failed = 0;
    for (Verdict verdict : verdicts) {
      failed += verdict.status() == Verdict.Status.FAIL ? 1 : 0;
      out.println(line(verdict));
      if (verdict.status() == Verdict.Status.FAIL) {
        out.println("      must hold: " + verdict.requirement());
        out.println("      first:     " + SafeText.of(verdict.detail()));
      }
    }
    out.println(
        failed == 0 ? "no rule failed" : failed + " of " + verdicts.size() + " rules failed");
    out.flush();
    return failed == 0 ? CommandMessages.OK : RULE_FAILED;
  }

  private static String line(Verdict verdict) {
    final String figures =
        verdict.status() == Verdict.Status.SKIP
            ? verdict.detail()
            : "checked=" + verdict.checked() + ", violations=" + verdict.violations();
    return String.format(
        Locale.ROOT, "%-4s  %-22s %s", verdict.status(), verdict.rule(), SafeText.of(figures));
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
