package dev.headway.cli.learn;

import dev.headway.cli.command.QuietOption;
import dev.headway.probes.chronicle.JournalSource;
import dev.headway.probes.csv.CsvConverter;
import dev.headway.probes.csv.option.ConvertOptions;
import dev.headway.probes.csv.option.IterationRequests;
import dev.headway.simulation.calibrate.ExecutedSteps;
import dev.headway.simulation.calibrate.TimedRequests;
import dev.headway.toolbox.output.FileTree;
import dev.headway.toolbox.output.OverwriteMode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The requests of a run, of its tables or its journal, and its steps where these have them.
 *
 * @param steps none where only requests are known
 */
record RunRequests(TimedRequests requests, ExecutedSteps steps) {

  private static final String ITERATIONS = "per_iteration.csv";

  static RunRequests read(Path path, QuietOption quiet) throws IOException {
    if (!Files.isDirectory(path) || !JournalSource.isJournal(path)) {
      return new RunRequests(TimedRequests.read(path), steps(path));
    }
    final Path folder = Files.createTempDirectory("headway-calibrate");
    try {
      final Path csv = folder.resolve("csv");
      try (JournalSource records = JournalSource.open(path);
          var progress = quiet.journalProgress()) {
        new CsvConverter(records, csv, options(), progress).convert();
      }
      return new RunRequests(TimedRequests.read(csv), steps(csv));
    } finally {
      FileTree.delete(folder);
    }
  }

  private static ExecutedSteps steps(Path folder) throws IOException {
    for (Path file :
        List.of(folder.resolve("csv").resolve(ITERATIONS), folder.resolve(ITERATIONS))) {
      if (Files.exists(file)) {
        return ExecutedSteps.read(file);
      }
    }
    return new ExecutedSteps(List.of());
  }

  private static ConvertOptions options() {
    final ConvertOptions usual = ConvertOptions.DEFAULT;
    return new ConvertOptions(
        OverwriteMode.REFUSE, usual.text(), IterationRequests.OFF, usual.idLists());
  }
}
