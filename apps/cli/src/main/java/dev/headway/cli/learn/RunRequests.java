package dev.headway.cli.learn;

import dev.headway.cli.command.QuietOption;
import dev.headway.events.output.FileTree;
import dev.headway.events.output.OverwriteMode;
import dev.headway.probes.chronicle.JournalSource;
import dev.headway.probes.csv.CsvConverter;
import dev.headway.probes.csv.option.ConvertOptions;
import dev.headway.probes.csv.option.IterationRequests;
import dev.headway.simulation.calibrate.TimedRequests;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads the requests of a run: its tables, or its journal. Stateless. */
final class RunRequests {
  private RunRequests() {}

  static TimedRequests read(Path path, QuietOption quiet) throws IOException {
    if (!Files.isDirectory(path) || !JournalSource.isJournal(path)) {
      return TimedRequests.read(path);
    }
    final Path folder = Files.createTempDirectory("headway-calibrate");
    try {
      final Path csv = folder.resolve("csv");
      try (JournalSource records = JournalSource.open(path);
          var progress = quiet.journalProgress()) {
        new CsvConverter(records, csv, options(), progress).convert();
      }
      return TimedRequests.read(csv);
    } finally {
      FileTree.delete(folder);
    }
  }

  private static ConvertOptions options() {
    final ConvertOptions usual = ConvertOptions.DEFAULT;
    return new ConvertOptions(
        OverwriteMode.REFUSE, usual.text(), IterationRequests.OFF, usual.idLists());
  }
}
