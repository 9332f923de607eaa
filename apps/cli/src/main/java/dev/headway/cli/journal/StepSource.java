package dev.headway.cli.journal;

import dev.headway.events.model.RunModel;
import dev.headway.probes.chronicle.JournalEnd;
import dev.headway.probes.chronicle.JournalPump;
import dev.headway.report.analyze.ProfileReader;
import dev.headway.report.analyze.StepTable;
import dev.headway.report.analyze.StepTables;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads steps from a profile or a journal, and says what was wrong with it. */
final class StepSource {

  private final CommandMessages messages;
  private final TerminalProgress progress;
  private boolean whole = true;

  StepSource(CommandMessages messages, TerminalProgress progress) {
    this.messages = messages;
    this.progress = progress;
  }

  /** Whether everything could be read so far. */
  boolean isWhole() {
    return whole;
  }

  /**
   * Reads all steps.
   *
   * @throws IOException if that fails or if there is none
   */
  StepTable read(Path input) throws IOException {
    final StepTable table = new StepTable();
    if (Files.isDirectory(input)) {
      journal(input, table);
    } else {
      profile(input, table);
    }
    if (table.size() == 0) {
      throw new IOException("a profile must hold at least one step: input=" + input);
    }
    return table;
  }

  private void journal(Path input, StepTable table) throws IOException {
    final RunModel observer = StepTables.consumer(table);
    final JournalEnd end = JournalPump.pump(input, observer, progress);
    whole &= messages.ended(end, observer.droppedRecords()) == CommandMessages.OK;
  }

  private void profile(Path input, StepTable table) throws IOException {
    if (!Files.exists(input)) {
      throw new IOException("a profile or a journal directory must exist: input=" + input);
    }
    final ProfileReader.Summary summary = ProfileReader.read(input, table);
    if (summary.truncated()) {
      messages.say("the last line is cut and was left out: file=" + input);
    }
    if (summary.malformed() > 0) {
      messages.say(
          "lines that are no record were skipped: malformed="
              + summary.malformed()
              + ", records="
              + summary.records()
              + ", file="
              + input);
    }
    whole &= !summary.truncated() && summary.malformed() == 0;
  }
}
