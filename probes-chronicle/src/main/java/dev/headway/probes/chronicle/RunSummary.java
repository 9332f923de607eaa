package dev.headway.probes.chronicle;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What was read of one run.
 *
 * @param directory the run
 * @param end how it ended
 * @param records records verified, unknown ones included
 * @param unknownRecords records of types that this version does not know; skipped
 * @param droppedRecords events for which the writer had no room
 * @param lastRecord type of the last record, {@code none} before the first
 * @param lastStepId step of the last step record, 0 before the first
 * @param lastInstantNs end of that step or of the run, 0 before the first
 * @param damage what is wrong, at {@link RunEnd#DAMAGED}
 */
public record RunSummary(
    Path directory,
    RunEnd end,
    long records,
    long unknownRecords,
    long droppedRecords,
    String lastRecord,
    long lastStepId,
    long lastInstantNs,
    @Nullable JournalDamage damage) {

  /** One sentence for people. */
  public String message() {
    final String at =
        "dir="
            + directory
            + ", records="
            + records
            + ", lastRecord="
            + lastRecord
            + ", lastStepId="
            + lastStepId
            + ", lastInstantNs="
            + lastInstantNs
            + (droppedRecords > 0 ? ", droppedRecords=" + droppedRecords : "")
            + (unknownRecords > 0 ? ", unknownRecords=" + unknownRecords : "");
    return switch (end) {
      case OPEN -> "journal is being followed: " + at;
      case LIVE -> "journal is still being written: " + at;
      case CLEAN -> "journal is complete: " + at;
      case CUT -> "journal has no end record, its writer died here or is still at work: " + at;
      case DAMAGED -> damage == null ? at : damage.message() + ": " + at;
      case NOT_STARTED -> "journal has no start record, its writer died at once: " + at;
    };
  }
}
