package dev.headway.cli.simulate;

import dev.headway.cli.command.OverwriteOption;
import dev.headway.events.record.JournalLevel;
import java.nio.file.Path;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;

/** What of a run is kept, on the command line. */
final class RecordingOptions {

  @Option(
      names = {"-o", "--out", "--output"},
      paramLabel = "DIR",
      description =
          "Directory to make, for the journal, the CSV files and summary.json"
              + " (${DEFAULT-VALUE}).")
  private Path out = Path.of("out", "replay");

  @ArgGroup(validate = false)
  private OverwriteOption overwrite = new OverwriteOption();

  @Option(
      names = "--journal",
      paramLabel = "LEVEL",
      description =
          "How much the journal keeps: debug (scores too), full, summary (no waits, no entries of"
              + " steps) or off, which leaves the summary only (full).")
  private JournalLevel level = JournalLevel.FULL;

  @Option(names = "--no-csv", description = "Leave the journal unconverted.")
  private boolean noCsv;

  @Option(
      names = "--iteration-requests",
      paramLabel = "ROWS",
      description =
          "Rows of per_iteration_requests.csv: one per live request and step (full), only those"
              + " whose state or wait reason changed (changes), or none (off). auto is full up to"
              + " 20 million rows, changes beyond: an overloaded engine has thousands of requests"
              + " waiting in every step (auto).")
  private Recording.IterationRows iterationRows = Recording.IterationRows.AUTO;

  Recording recording() {
    return new Recording(
        out,
        overwrite.mode(),
        level,
        noCsv ? Recording.Csv.SKIPPED : Recording.Csv.WRITTEN,
        iterationRows);
  }
}
