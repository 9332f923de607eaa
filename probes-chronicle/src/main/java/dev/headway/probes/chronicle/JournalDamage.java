package dev.headway.probes.chronicle;

import java.nio.file.Path;

/**
 * Where a run stops being readable. Everything before it was verified and given to the visitor.
 *
 * @param file the run's data file
 * @param offset byte in the file at which the bad record, or what is in its place, begins
 * @param sequence the number that the record there should have
 * @param problem what was expected and what was found
 */
public record JournalDamage(Path file, long offset, long sequence, String problem) {

  /** One sentence for people. */
  public String message() {
    return "journal record is damaged: file="
        + file
        + ", offset="
        + offset
        + ", sequence="
        + sequence
        + ", "
        + problem
        + "; the "
        + (sequence - 1)
        + " records before it are intact";
  }
}
