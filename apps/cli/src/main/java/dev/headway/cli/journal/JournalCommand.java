package dev.headway.cli.journal;

import dev.headway.cli.command.CommandMessages;
import dev.headway.cli.command.ExitCode;
import dev.headway.cli.command.ProgressDisplay;
import dev.headway.cli.command.QuietOption;
import dev.headway.events.live.RecordConsumer;
import dev.headway.probes.chronicle.JournalEnd;
import dev.headway.probes.chronicle.JournalPump;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/**
 * A command that reads journals: what all of them have. A command adds its parameters and options,
 * and {@link #run}; its annotation adds to, or replaces, what is said here.
 */
@Command(
    mixinStandardHelpOptions = true,
    exitCodeList = {
      "0:The whole journal was written.",
      "1:Failed: the output is as it was before.",
      "2:The command line is wrong.",
      "3:Written, but the journal is cut or damaged, or records were dropped; the message says"
          + " where."
    },
    footerHeading = "%nExamples:%n")
abstract class JournalCommand implements Callable<Integer> {

  @Mixin final CommandMessages messages = new CommandMessages();
  @Mixin private final QuietOption quiet = new QuietOption();

  /** Returns the command line of {@code command} alone, as a separate program. */
  static CommandLine commandLine(JournalCommand command) {
    return new CommandLine(command).setCaseInsensitiveEnumValuesAllowed(true);
  }

  /**
   * Does what the command is for.
   *
   * @return the exit code
   * @throws IOException with what is to be said of the failure
   */
  abstract int run() throws IOException;

  @Override
  public final Integer call() {
    try {
      return run();
    } catch (IOException | UncheckedIOException e) {
      return messages.failed(e);
    }
  }

  /** Feeds all of a journal to {@code consumer}, which is closed, and shows progress. */
  final JournalEnd read(Path journal, RecordConsumer consumer) throws IOException {
    try (ProgressDisplay progress = progress()) {
      return JournalPump.pump(journal, consumer, progress);
    }
  }

  /** Progress, unless it is not wanted; close it. */
  final ProgressDisplay progress() {
    return quiet.journalProgress();
  }

  /** Says what was done, unless that is not wanted. */
  final void summary(String message) {
    if (!quiet.isSet()) {
      messages.say(message);
    }
  }

  /** Says what is missing of a journal, if anything is; returns the exit code. */
  final int ended(JournalEnd end) {
    final boolean whole =
        end.state() == JournalEnd.State.CLEAN || end.state() == JournalEnd.State.LIVE;
    if (!whole) {
      messages.say("the journal is " + end.state().label() + ": " + end.detail());
    } else if (!end.detail().isEmpty()) {
      messages.say("the journal is not at its end: " + end.detail());
    }
    if (end.unknownRecords() > 0) {
      messages.say(
          "a newer version wrote records that were skipped: unknown=" + end.unknownRecords());
    }
    if (end.droppedRecords() > 0) {
      messages.say("the writer had to drop records: dropped=" + end.droppedRecords());
    }
    return whole && end.droppedRecords() == 0 ? ExitCode.OK : ExitCode.INCOMPLETE;
  }
}
