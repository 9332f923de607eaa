package dev.headway.probes.chronicle;

import dev.headway.events.record.RecordVisitor;
import java.io.IOException;

/** Where records come from. One thread. */
public interface RecordSource {

  /**
   * Feeds the next records to {@code visitor}, at most {@code limit} of them.
   *
   * @return how many; 0 if there are none for now
   */
  int poll(RecordVisitor visitor, int limit) throws IOException;

  /** Whether no more records will ever come: the writer closed the journal, or it is damaged. */
  boolean isExhausted();

  /** How much of what is there was read, in 1/1000; -1 if that cannot be said. */
  int donePermille();

  /**
   * Feeds what is left and says how the records came to an end. Nothing comes after that.
   *
   * @return never with the state LIVE
   */
  JournalEnd conclude(RecordVisitor visitor) throws IOException;
}
