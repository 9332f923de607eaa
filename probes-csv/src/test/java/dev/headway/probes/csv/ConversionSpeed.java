package dev.headway.probes.csv;

import dev.headway.probes.chronicle.JournalEnd;
import dev.headway.probes.csv.option.ConvertOptions;
import dev.headway.toolbox.output.OverwriteMode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;

/**
 * Rows per second of the projections and files, without a journal to read.
 *
 * <p>Run: {@code java -cp … dev.headway.probes.csv.ConversionSpeed DIRECTORY [steps]}.
 */
public final class ConversionSpeed {

  private ConversionSpeed() {}

  /** Converts the same stream three times and prints the speed of each. */
  public static void main(String[] arguments) throws IOException {
    final Path directory = Path.of(arguments[0]);
    final long steps = arguments.length > 1 ? Long.parseLong(arguments[1]) : 10_000;
    for (int round = 1; round <= 3; round++) {
      final ConvertOptions defaults = ConvertOptions.DEFAULT;
      final ConvertOptions options =
          new ConvertOptions(
              OverwriteMode.REPLACE,
              defaults.text(),
              defaults.iterationRequests(),
              defaults.idLists());
      final long beginNs = System.nanoTime();
      try (CsvExport export = CsvExport.begin(directory, options)) {
        new SyntheticRun(128, 128).play(export.visitor(), steps);
        export.finish(JournalEnd.clean(0));
        final long durationNs = System.nanoTime() - beginNs;
        System.out.printf(
            Locale.ROOT,
            "round=%d rows=%d seconds=%.3f rows/s=%.0f heapUsedMiB=%d%n",
            round,
            export.rows(),
            durationNs / 1e9,
            export.rows() * 1e9 / durationNs,
            (Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory()) >> 20);
      }
    }
  }
}
