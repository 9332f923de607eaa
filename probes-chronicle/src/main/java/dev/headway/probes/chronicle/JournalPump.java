package dev.headway.probes.chronicle;

import dev.headway.events.live.RecordConsumer;
import dev.headway.events.record.RecordVisitor;
import java.io.IOException;
import java.nio.file.Path;

/** Feeds a journal to a consumer or a visitor, to its end. Stateless. */
public final class JournalPump {

  private static final int BATCH = 4_096;

  private JournalPump() {}

  /**
   * Feeds all runs of a journal directory, or a run's own, and closes {@code consumer}.
   *
   * @return how the journal ends
   * @throws IOException if there is no journal, or the consumer cannot take it
   */
  public static JournalEnd pump(Path journal, RecordConsumer consumer, JournalProgress progress)
      throws IOException {
    try (consumer;
        JournalSource source = JournalSource.open(journal)) {
      return feed(source, consumer.visitor(), progress);
    }
  }

  /**
   * Feeds all of {@code source} and closes {@code consumer}.
   *
   * @return how the journal ends
   */
  public static JournalEnd pump(
      RecordSource source, RecordConsumer consumer, JournalProgress progress) throws IOException {
    try (consumer) {
      return feed(source, consumer.visitor(), progress);
    }
  }

  /**
   * Feeds all of {@code source} to a visitor.
   *
   * @return how the journal ends
   */
  public static JournalEnd feed(
      RecordSource source, RecordVisitor visitor, JournalProgress progress) throws IOException {
    long records = 0;
    int fed = source.poll(visitor, BATCH);
    while (fed > 0) {
      records += fed;
      progress.advanced(records, -1, source.donePermille());
      fed = source.poll(visitor, BATCH);
    }
    return source.conclude(visitor);
  }
}
