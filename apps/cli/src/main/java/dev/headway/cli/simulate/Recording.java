package dev.headway.cli.simulate;

import dev.headway.events.output.OverwriteMode;
import dev.headway.events.record.JournalLevel;
import dev.headway.probes.csv.option.IterationRequests;
import java.nio.file.Path;

/**
 * What of a run is kept.
 *
 * @param out directory of the run
 * @param overwrite what happens when it exists
 * @param level how much the journal keeps
 * @param csv whether the journal is converted; there is nothing to convert at level off
 * @param iterationRows how much of {@code per_iteration_requests.csv} is written
 */
public record Recording(
    Path out, OverwriteMode overwrite, JournalLevel level, Csv csv, IterationRows iterationRows) {

  private static final long MOST_ROWS_BY_ITSELF = 20_000_000;

  /** Whether the journal is converted. */
  public enum Csv {
    WRITTEN,
    SKIPPED
  }

  /** How much of {@code per_iteration_requests.csv} is written. */
  public enum IterationRows {
    /** All rows if they are not too many, else changes. */
    AUTO,
    /** One row per live request and step. */
    FULL,
    /** Rows whose state or wait reason changed. */
    CHANGES,
    /** None. */
    OFF
  }

  /** What to write of a run that has so many rows in full. */
  IterationRequests iterationRequests(long fullRows) {
    return switch (iterationRows) {
      case AUTO ->
          fullRows <= MOST_ROWS_BY_ITSELF ? IterationRequests.FULL : IterationRequests.CHANGES;
      case FULL -> IterationRequests.FULL;
      case CHANGES -> IterationRequests.CHANGES;
      case OFF -> IterationRequests.OFF;
    };
  }

  boolean convertsJournal() {
    return csv == Csv.WRITTEN && level != JournalLevel.OFF;
  }
}
