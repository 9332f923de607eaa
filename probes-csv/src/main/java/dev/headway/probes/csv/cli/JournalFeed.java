package dev.headway.probes.csv.cli;

import dev.headway.probes.chronicle.live.RecordConsumer;
import dev.headway.probes.chronicle.record.JournalVisitor;
import dev.headway.probes.csv.JournalEnd;
import dev.headway.probes.csv.JournalSource;
import java.io.IOException;
import java.nio.file.Path;

/** Feeds all records of a journal to a consumer. */
final class JournalFeed {

  private static final int BATCH = 4_096;

  private JournalFeed() {}

  /** Feeds and closes {@code consumer}. */
  static JournalEnd feed(Path journal, RecordConsumer consumer, TerminalProgress progress)
      throws IOException {
    try (consumer;
        JournalSource source = JournalSource.open(journal)) {
      return feed(source, consumer, progress);
    }
  }

  private static JournalEnd feed(
      JournalSource source, JournalVisitor visitor, TerminalProgress progress) throws IOException {
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
