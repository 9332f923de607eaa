package dev.headway.cli.simulate;

import dev.headway.cli.command.Excludes;
import dev.headway.cli.command.Needs;
import dev.headway.cli.command.OverwriteOption;
import dev.headway.events.record.JournalLevel;
import dev.headway.probes.csv.option.IdLists;
import dev.headway.probes.csv.option.IterationRequests;
import dev.headway.scheduler.time.VirtualClock;
import dev.headway.toolbox.output.OverwriteMode;
import java.nio.file.Path;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;

/** What of a run is kept, on the command line. */
class RecordingOptions {

  private static final long MOST_ROWS_BY_ITSELF = 20_000_000;

  @Option(
      names = {"-o", "--out", "--output"},
      paramLabel = "DIR",
      description =
          "Directory to make, for the journal, the CSV files, requests.csv and summary.json"
              + " (${DEFAULT-VALUE}).")
  private Path out = Path.of("out", "replay");

  @ArgGroup(validate = false)
  private OverwriteOption overwrite = new OverwriteOption();

  @Option(
      names = "--journal-level",
      paramLabel = "LEVEL",
      description =
          "How much the journal keeps: debug (scores too), full, summary (no waits, no entries of"
              + " steps) or off, which leaves requests.csv and the summary only (${DEFAULT-VALUE}).")
  private JournalLevel level = JournalLevel.FULL;

  @Needs(value = "--journal-level", byDefault = true)
  @Option(names = "--no-csv", description = "Leave the journal unconverted.")
  private boolean noCsv;

  @Needs(value = "--journal-level", byDefault = true)
  @Excludes("--no-csv")
  @Option(
      names = "--iteration-requests",
      paramLabel = "ROWS",
      description =
          "Rows of per_iteration_requests.csv: one per live request and step (full), only those"
              + " whose state or wait reason changed (changes), or none (off). auto is full up to"
              + " 20 million rows, changes beyond: an overloaded engine has thousands of requests"
              + " waiting in every step (auto).")
  private IterationRows iterationRows = IterationRows.AUTO;

  @Needs(value = "--journal-level", byDefault = true)
  @Excludes("--no-csv")
  @Option(
      names = "--ids",
      paramLabel = "LISTS",
      description =
          "Ids in per_iteration.csv: of admitted, preempted and completed requests (compact), or of"
              + " running and waiting ones as well, in every row (full) (${DEFAULT-VALUE}).")
  private IdLists ids = IdLists.COMPACT;

  @Excludes("--real-time")
  @Option(
      names = "--reproducible",
      description =
          "Leave out what this machine took, for scheduling and for the run, the only figures in"
              + " which equal runs differ: files are byte-identical then.")
  private boolean reproducible;

  /** What the command line says; picocli fills it. */
  RecordingOptions() {}

  /** What the command line says, with other defaults. */
  RecordingOptions(Path out, JournalLevel level) {
    this.out = out;
    this.level = level;
  }

  /** All of a run. */
  RecordingOptions(Path out, OverwriteOption overwrite, boolean reproducible) {
    this.out = out;
    this.overwrite = overwrite;
    this.iterationRows = IterationRows.FULL;
    this.ids = IdLists.FULL;
    this.reproducible = reproducible;
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
  final Path out() {
    return out;
  }

  final OverwriteMode overwrite() {
    return overwrite.mode();
  }

  final JournalLevel level() {
    return level;
  }

  /** Whether the journal is converted; there is nothing to convert at level off. */
  final boolean convertsJournal() {
    return !noCsv && level != JournalLevel.OFF;
  }

  /** Which lists of ids are written. */
  final IdLists ids() {
    return ids;
  }

  /** Whether figures of this machine are left out, so that equal runs leave equal files. */
  final boolean isReproducible() {
    return reproducible;
  }

  /** The clock of the run. */
  final VirtualClock clock() {
    return reproducible ? new VirtualClock() : VirtualClock.measuringHost();
  }

  /** Whether rows are left out of a run that has so many in full, without being asked to. */
  final boolean thins(long fullRows) {
    return iterationRows == IterationRows.AUTO && fullRows > MOST_ROWS_BY_ITSELF;
  }

  /** What to write of a run that has so many rows in full. */
  final IterationRequests iterationRequests(long fullRows) {
    return switch (iterationRows) {
      case AUTO -> thins(fullRows) ? IterationRequests.CHANGES : IterationRequests.FULL;
      case FULL -> IterationRequests.FULL;
      case CHANGES -> IterationRequests.CHANGES;
      case OFF -> IterationRequests.OFF;
    };
  }
}
