package dev.headway.cli.journal;

import dev.headway.cli.command.OverwriteOption;
import dev.headway.cli.command.ProgressDisplay;
import dev.headway.probes.chronicle.JournalSource;
import dev.headway.probes.csv.CsvConverter;
import dev.headway.probes.csv.option.ConvertOptions;
import dev.headway.probes.csv.option.IdLists;
import dev.headway.probes.csv.option.IterationRequests;
import dev.headway.probes.csv.option.TextPolicy;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code headway convert}: from a journal to CSV files. */
@Command(
    name = "convert",
    header = "Converts a journal to CSV files.",
    description = {
      "",
      "Writes to the new directory DIR:",
      "  per_request.csv             one row per request",
      "  per_iteration.csv           one row per iteration",
      "  per_iteration_requests.csv  one row per iteration and live request",
      "  events.csv                  one row per event",
      "  state_transitions.csv       one row per change of a request's state",
      "  manifest.json               what every column means, and how the journal ends",
      "Times are integer nanoseconds since the start of the run. An empty cell is an absent"
          + " value.",
      "",
      "The files are made beside DIR and renamed when they are complete. A journal that was cut by"
          + " a crash or damaged is converted up to there; requests still alive have the status"
          + " unfinished.",
      ""
    },
    exitCodeList = {
      "0:The whole journal was converted, or followed until stopped.",
      "1:Failed: DIR is as it was before, or with --follow as far as it came.",
      "2:The command line is wrong.",
      "3:Converted, but the journal is cut or damaged, or records were dropped; the message says"
          + " where."
    },
    footer = {
      "  headway convert journal/ -o csv/",
      "  headway convert --iteration-requests changes --overwrite journal/",
      "  headway convert --follow journal/ -o live/"
    })
public final class ConvertCommand extends JournalCommand {

  private static final long STOP_SECONDS = 30;

  @Parameters(index = "0", paramLabel = "JOURNAL", description = "Directory of the journal.")
  private Path journal;

  @Option(
      names = {"-o", "--out", "--output"},
      paramLabel = "DIR",
      defaultValue = "csv",
      description = "Directory to make (${DEFAULT-VALUE}).")
  private Path out;

  /** The second word of earlier command lines, which say no {@code -o}. */
  @Parameters(index = "1", arity = "0..1", paramLabel = "DIR", hidden = true)
  private @Nullable Path second;

  @Option(
      names = "--follow",
      description =
          "Keep converting the latest run while it is written, until it is closed or Ctrl-C. The"
              + " files stand in DIR from the beginning and hold whole rows at any time.")
  private boolean follow;

  @Mixin private OverwriteOption overwrite;

  @Option(
      names = "--raw",
      description =
          "Write text as it is. Without it, text that a spreadsheet would take for a formula gets"
              + " a ' in front. Numbers are never touched.")
  private boolean raw;

  @Option(
      names = "--iteration-requests",
      paramLabel = "ROWS",
      defaultValue = "full",
      description =
          "Rows of per_iteration_requests.csv: one per live request and iteration (full), only"
              + " those whose state or wait reason changed (changes), or none (off)"
              + " (${DEFAULT-VALUE}).")
  private IterationRequests iterationRequests;

  @Option(
      names = "--ids",
      paramLabel = "LISTS",
      defaultValue = "compact",
      description =
          "Lists of ids in per_iteration.csv: admitted, preempted and completed (compact), or"
              + " running and waiting as well (full) (${DEFAULT-VALUE}).")
  private IdLists ids;

  @Override
  int run() throws IOException {
    if (second != null) {
      out = second;
    }
    final CsvConverter.Summary summary = convert();
    summary(
        "wrote " + summary.rows() + " rows from " + summary.end().records() + " records to " + out);
    final int code = ended(summary.end());
    if (summary.timingViolations() > 0) {
      messages.say(
          "requests with contradicting instants have timing_valid=false: requests="
              + summary.timingViolations());
    }
    return code;
  }

  private CsvConverter.Summary convert() throws IOException {
    try (JournalSource source =
            follow ? JournalSource.openLatest(journal) : JournalSource.open(journal);
        ProgressDisplay progress = progress()) {
      final CsvConverter converter = new CsvConverter(source, out, options(), progress);
      return follow ? follow(converter) : converter.convert();
    }
  }

  private ConvertOptions options() {
    return new ConvertOptions(
        overwrite.mode(), raw ? TextPolicy.RAW : TextPolicy.NEUTRALISED, iterationRequests, ids);
  }

  /** Ctrl-C ends the JVM only after the files were completed. */
  private CsvConverter.Summary follow(CsvConverter converter) throws IOException {
    final CountDownLatch asked = new CountDownLatch(1);
    final CountDownLatch done = new CountDownLatch(1);
    final Thread onExit = new Thread(() -> stopAndWait(asked, done), "headway-convert-stop");
    Runtime.getRuntime().addShutdownHook(onExit);
    final BooleanSupplier stop = () -> asked.getCount() == 0;
    try {
      return converter.follow(stop);
    } finally {
      done.countDown();
      if (!stop.getAsBoolean()) {
        Runtime.getRuntime().removeShutdownHook(onExit);
      }
    }
  }

  private void stopAndWait(CountDownLatch asked, CountDownLatch done) {
    asked.countDown();
    try {
      if (!done.await(STOP_SECONDS, TimeUnit.SECONDS)) {
        messages.say("the files could not be completed in time");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
