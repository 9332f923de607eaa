package dev.headway.probes.csv.live;

import dev.headway.events.live.RecordConsumer;
import dev.headway.events.record.RecordVisitor;
import dev.headway.probes.chronicle.JournalEnd;
import dev.headway.probes.chronicle.RunDirectories;
import dev.headway.probes.csv.CsvExport;
import dev.headway.probes.csv.option.ConvertOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the CSV files and the manifest of a run while it runs, to a directory of its own. At most
 * a second behind, the files hold whole rows; at the end they hold what a journal of the run would
 * be converted to, byte by byte.
 *
 * <p>One thread.
 */
public final class LiveCsv implements RecordConsumer {

  private static final Logger LOG = LoggerFactory.getLogger(LiveCsv.class);

  private final Path directory;
  private final CsvExport export;
  private long records;

  private LiveCsv(Path directory, CsvExport export) {
    this.directory = directory;
    this.export = export;
  }

  /**
   * Begins the files of a run in {@code run-N}.
   *
   * @param parent made if missing; gets a sub-directory for the run
   * @throws IOException if the files cannot be made
   */
  public static LiveCsv begin(Path parent, ConvertOptions options) throws IOException {
    return in(RunDirectories.create(parent), options);
  }

  /**
   * Begins the files of a run in a directory itself if nothing is there yet, else in a new {@code
   * run-N} inside.
   *
   * @param directory made if missing
   * @throws IOException if the files cannot be made
   */
  public static LiveCsv beginIn(Path directory, ConvertOptions options) throws IOException {
    Files.createDirectories(directory);
    final boolean isEmpty;
    try (Stream<Path> entries = Files.list(directory)) {
      isEmpty = entries.findAny().isEmpty();
    }
    return in(isEmpty ? directory : RunDirectories.create(directory), options);
  }

  private static LiveCsv in(Path directory, ConvertOptions options) throws IOException {
    final LiveCsv csv = new LiveCsv(directory, CsvExport.begin(directory, options));
    LOG.info("writing CSV files: dir={}", directory);
    return csv;
  }

  /** Where the files are. */
  public Path directory() {
    return directory;
  }

  @Override
  public RecordVisitor visitor() {
    return export.visitor();
  }

  @Override
  public void flush(long told) throws IOException {
    records = told;
    export.publish(JournalEnd.live(told));
  }

  /** A run that has not begun, because the engine could not be built, leaves no directory. */
  @Override
  public void close() throws IOException {
    if (!export.hasBegun()) {
      export.close();
      Files.deleteIfExists(directory);
      return;
    }
    try (export) {
      export.finish(export.endedCleanly() ? JournalEnd.clean(records) : JournalEnd.live(records));
    }
  }
}
