package dev.headway.probes.csv;

import dev.headway.probes.csv.track.RunObserver;
import dev.headway.probes.csv.track.RunTracker;
import java.io.IOException;

/** Reads a journal to its end for somebody who follows its runs. Stateless. */
public final class JournalPump {

  private static final int BATCH = 4_096;

  private JournalPump() {}

  /**
   * Feeds all of {@code source} and closes {@code observer}.
   *
   * @return how the journal ends
   */
  public static JournalEnd pump(
      RecordSource source, RunObserver observer, CsvConverter.Progress progress)
      throws IOException {
    try (RunTracker tracker = new RunTracker(observer)) {
      long records = 0;
      int fed = source.poll(tracker, BATCH);
      while (fed > 0) {
        records += fed;
        progress.advanced(records, -1, source.donePermille());
        fed = source.poll(tracker, BATCH);
      }
      return source.conclude(tracker);
    }
  }
}
