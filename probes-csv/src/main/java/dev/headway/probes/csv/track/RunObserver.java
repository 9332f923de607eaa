package dev.headway.probes.csv.track;

import dev.headway.probes.chronicle.record.JournalVisitor.RunHeader;
import java.io.IOException;

/** Gives each run of a journal its listener. One thread. */
public interface RunObserver {

  /**
   * A run begins; the one before has been concluded.
   *
   * @param index which run, from 0
   * @return who hears it
   */
  TrackListener listen(int index, RunHeader header, RunTracker tracker);

  /**
   * No more runs come.
   *
   * @throws IOException if something could not be written
   */
  default void close() throws IOException {}
}
