package dev.headway.probes.chronicle;

/**
 * Is notified how far a journal is read. Called by the thread that reads, every few thousand
 * records.
 */
@FunctionalInterface
public interface JournalProgress {

  /**
   * Some more was read.
   *
   * @param records records so far
   * @param rows rows written so far, -1 where none are
   * @param donePermille share of what is there, or -1 if that is not known
   */
  void advanced(long records, long rows, int donePermille);
}
