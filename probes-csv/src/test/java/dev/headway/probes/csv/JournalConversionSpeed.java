package dev.headway.probes.csv;

import dev.headway.events.record.JournalLevel;
import dev.headway.probes.chronicle.JournalProbe;
import dev.headway.probes.chronicle.JournalSource;
import dev.headway.probes.csv.option.ConvertOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * Rows per second from a journal on disk to CSV files.
 *
 * <p>Run with the JVM flags of Chronicle: {@code java …
 * dev.headway.probes.csv.JournalConversionSpeed DIRECTORY [steps]}. The journal is written first;
 * that is slow and not measured.
 */
public final class JournalConversionSpeed {

  private JournalConversionSpeed() {}

  /** Writes a journal, converts it three times and prints the speed of each. */
  public static void main(String[] arguments) throws IOException {
    final Path directory = Path.of(arguments[0]);
    final long steps = arguments.length > 1 ? Long.parseLong(arguments[1]) : 4_000;
    final Path journal = Files.createDirectories(directory.resolve("journal"));
    try (JournalProbe probe = JournalProbe.open(journal, JournalLevel.FULL)) {
      new SyntheticRun(128, 128).play(new ProbeReplay(probe), steps);
    }
    for (int round = 1; round <= 3; round++) {
      final long beginNs = System.nanoTime();
      try (JournalSource source = JournalSource.open(journal)) {
        final CsvConverter.Summary summary =
            new CsvConverter(
                    source,
                    directory.resolve("csv" + round),
                    ConvertOptions.DEFAULT,
                    (records, rows, done) -> {})
                .convert();
        final long durationNs = System.nanoTime() - beginNs;
        System.out.printf(
            Locale.ROOT,
            "round=%d end=%s records=%d rows=%d seconds=%.3f rows/s=%.0f%n",
            round,
            summary.end().state(),
            summary.end().records(),
            summary.rows(),
            durationNs / 1e9,
            summary.rows() * 1e9 / durationNs);
      }
    }
  }
}
