package dev.headway.cli.simulate;

import dev.headway.cli.command.OverwriteOption;
import dev.headway.events.output.OverwriteMode;
import dev.headway.events.record.JournalLevel;
import dev.headway.probes.csv.option.IterationRequests;
import java.nio.file.Path;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;

/** What of a run is kept, on the command line. */
final class RecordingOptions {

  private static final long MOST_ROWS_BY_ITSELF = 20_000_000;

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
  private IterationRows iterationRows = IterationRows.AUTO;

  /** What the command line says; picocli fills it. */
  RecordingOptions() {}

  /** All of a run. */
  RecordingOptions(Path out, OverwriteOption overwrite) {
    this.out = out;
    this.overwrite = overwrite;
    this.iterationRows = IterationRows.FULL;
  }

  /** How much of {@code per_iteration_requests.csv} is written. */
  enum IterationRows {
    /** All rows if they are not too many, else changes. */
    AUTO,
    /** One row per live request and step. */
    FULL,
    /** Rows whose state or wait reason changed. */
    CHANGES,
    /** None. */
    OFF
  }

  /** The directory of the run. */
  Path out() {
    return out;
  }

  OverwriteMode overwrite() {
    return overwrite.mode();
  }

  JournalLevel level() {
    return level;
  }

  /** Whether the journal is converted; there is nothing to convert at level off. */
  boolean convertsJournal() {
    return !noCsv && level != JournalLevel.OFF;
  }

  /** Whether rows are left out of a run that has so many in full, without being asked to. */
  boolean thins(long fullRows) {
    return iterationRows == IterationRows.AUTO && fullRows > MOST_ROWS_BY_ITSELF;
  }

  /** What to write of a run that has so many rows in full. */
  IterationRequests iterationRequests(long fullRows) {
    return switch (iterationRows) {
      case AUTO -> thins(fullRows) ? IterationRequests.CHANGES : IterationRequests.FULL;
      case FULL -> IterationRequests.FULL;
      case CHANGES -> IterationRequests.CHANGES;
      case OFF -> IterationRequests.OFF;
    };
  }
}
