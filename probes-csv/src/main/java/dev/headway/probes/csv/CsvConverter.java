package dev.headway.probes.csv;

import dev.headway.probes.chronicle.JournalEnd;
import dev.headway.probes.chronicle.JournalProgress;
import dev.headway.probes.chronicle.JournalPump;
import dev.headway.probes.chronicle.RecordSource;
import dev.headway.probes.csv.option.ConvertOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Converts what a {@link RecordSource} gives to a directory of CSV files. */
public final class CsvConverter {

  private static final int BATCH = 4_096;
  private static final long PUBLISH_EVERY_NS = TimeUnit.SECONDS.toNanos(1);
  private static final long IDLE_NS = TimeUnit.MILLISECONDS.toNanos(50);

  private final RecordSource source;
  private final Path target;
  private final ConvertOptions options;
  private final JournalProgress progress;

  /** Prepares a conversion; nothing is touched before it runs. */
  public CsvConverter(
      RecordSource source, Path target, ConvertOptions options, JournalProgress progress) {
    this.source = source;
    this.target = target;
    this.options = options;
    this.progress = progress;
  }

  /**
   * What a conversion came to.
   *
   * @param end how the journal ended
   * @param rows over all files
   * @param droppedRecords records the journal's writer had to drop
   * @param timingViolations requests whose stamps contradict each other
   */
  public record Summary(JournalEnd end, long rows, long droppedRecords, long timingViolations) {}

  /**
   * Converts what is there.
   *
   * @throws IOException if the target may not be replaced or cannot be written; no trace is left
   */
  public Summary convert() throws IOException {
    try (CsvExport export = CsvExport.begin(target, options)) {
      final JournalEnd end =
          JournalPump.feed(
              source,
              export.visitor(),
              (records, rows, done) -> progress.advanced(records, export.rows(), done));
      return finish(export, end);
    }
  }

  /**
   * Converts what is there and what is still written, until the writer closes the journal or {@code
   * stop} says so. The files are in place from the first pause on and hold whole rows.
   */
  public Summary follow(BooleanSupplier stop) throws IOException {
    try (CsvExport export = CsvExport.begin(target, options)) {
      long records = 0;
      long publishedNs = System.nanoTime();
      boolean changed = true;
      while (!stop.getAsBoolean() && !source.isExhausted()) {
        final int fed = source.poll(export.visitor(), BATCH);
        records += fed;
        changed |= fed > 0;
        final boolean due = System.nanoTime() - publishedNs >= PUBLISH_EVERY_NS;
        if (changed && (fed == 0 || due)) {
          progress.advanced(records, export.rows(), -1);
          export.publish(JournalEnd.live(records));
          publishedNs = System.nanoTime();
          changed = false;
        }
        if (fed == 0) {
          LockSupport.parkNanos(IDLE_NS);
        }
      }
      final boolean stopped = !source.isExhausted();
      return finish(export, stopped ? JournalEnd.live(records) : source.conclude(export.visitor()));
    }
  }

  private static Summary finish(CsvExport export, JournalEnd end) throws IOException {
    export.finish(end);
    return new Summary(
        end,
        export.rows(),
        export.anomalies().droppedRecords(),
        export.anomalies().timingViolations());
  }
}
