package dev.headway.cli.learn;

import dev.headway.cli.command.CommandMessages;
import dev.headway.cli.command.ProgressDisplay;
import dev.headway.cli.command.QuietOption;
import dev.headway.probes.chronicle.JournalEnd;
import dev.headway.probes.chronicle.JournalPump;
import dev.headway.probes.csv.training.TrainingExport;
import dev.headway.simulation.fit.QueueingFit;
import dev.headway.simulation.fit.RecordedSteps;
import dev.headway.simulation.fit.RecordedSteps.Omission;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;

/** Reads what was recorded: training rows, or a journal whose rows are made on the way. */
final class RecordedReader {

  private static final String STEPS = "beta.csv";
  private static final String REQUESTS = "alpha.csv";

  private final CommandMessages messages;
  private final QuietOption quiet;
  private final StrictOption strict;
  private final QueueingFit queueing;

  /**
   * Prepares to read.
   *
   * @param queueing gets the requests
   */
  RecordedReader(
      CommandMessages messages, QuietOption quiet, StrictOption strict, QueueingFit queueing) {
    this.messages = messages;
    this.quiet = quiet;
    this.strict = strict;
    this.queueing = queueing;
  }

  RecordedSteps read(Path path) throws IOException {
    final RecordedSteps steps = new RecordedSteps(path.toString());
    if (Files.isDirectory(path) && Files.notExists(path.resolve(STEPS))) {
      readJournal(path, steps);
    } else {
      readRows(path, steps);
    }
    final Map<Omission, Integer> wrong = new EnumMap<>(Omission.class);
    wrong.putAll(steps.omitted());
    wrong.keySet().removeIf(reason -> !reason.isWrong());
    strict.require(path, wrong, Omission::label);
    return steps;
  }

  private void readRows(Path path, RecordedSteps steps) throws IOException {
    steps.read(path);
    final Path folder = Files.isDirectory(path) ? path : path.toAbsolutePath().getParent();
    if (folder != null && Files.exists(folder.resolve(REQUESTS))) {
      queueing.read(folder);
    }
  }

  private void readJournal(Path journal, RecordedSteps steps) throws IOException {
    final Path folder = Files.createTempDirectory("headway-training");
    try {
      try (ProgressDisplay progress = quiet.journalProgress()) {
        final JournalEnd end = JournalPump.pump(journal, TrainingExport.to(folder), progress);
        if (end.state() != JournalEnd.State.CLEAN) {
          messages.say(
              journal + " is " + end.state().label() + ": what it has up to here is fitted");
        }
      }
      if (Files.exists(folder.resolve(STEPS))) {
        readRows(folder, steps);
      }
    } finally {
      try (var files = Files.list(folder)) {
        for (Path file : (Iterable<Path>) files::iterator) {
          Files.delete(file);
        }
      }
      Files.delete(folder);
    }
  }
}
