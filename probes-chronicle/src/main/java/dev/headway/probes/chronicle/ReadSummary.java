package dev.headway.probes.chronicle;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What was read of a journal.
 *
 * @param runs one summary per run, oldest first
 */
public record ReadSummary(List<RunSummary> runs) {

  /** Copies the list. */
  public ReadSummary {
    runs = List.copyOf(runs);
  }

  /** Whether every run is complete and without drops or unknown records. */
  public boolean isComplete() {
    return runs.stream()
        .allMatch(
            run ->
                run.end() == RunEnd.CLEAN
                    && run.droppedRecords() == 0
                    && run.unknownRecords() == 0);
  }

  /** The first damage, if any run has some. */
  public Optional<JournalDamage> damage() {
    return runs.stream().flatMap(run -> Stream.ofNullable(run.damage())).findFirst();
  }

  /** Records verified over all runs. */
  public long records() {
    return runs.stream().mapToLong(RunSummary::records).sum();
  }

  /** Records of unknown types over all runs. */
  public long unknownRecords() {
    return runs.stream().mapToLong(RunSummary::unknownRecords).sum();
  }

  /** Events that the writers dropped, over all runs. */
  public long droppedRecords() {
    return runs.stream().mapToLong(RunSummary::droppedRecords).sum();
  }
}
