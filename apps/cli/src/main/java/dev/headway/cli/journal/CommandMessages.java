package dev.headway.cli.journal;

import dev.headway.events.text.SafeText;
import dev.headway.probes.chronicle.JournalEnd;
import java.io.PrintWriter;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import picocli.CommandLine.Model.CommandSpec;

/** What a command says on standard error, and the exit codes that go with it. */
final class CommandMessages {

  static final int OK = 0;
  static final int FAILED = 1;
  static final int INCOMPLETE = 3;

  private final CommandSpec spec;

  CommandMessages(CommandSpec spec) {
    this.spec = spec;
  }

  /** One line, with the name of the command in front. */
  void say(String message) {
    final PrintWriter err = spec.commandLine().getErr();
    err.println("headway " + spec.name() + ": " + SafeText.of(message));
    err.flush();
  }

  /** Says why it failed. */
  int failed(Exception failure) {
    say(
        switch (failure) {
          case NoSuchFileException e -> "no such file: " + e.getFile();
          case AccessDeniedException e -> "no permission: " + e.getFile();
          default -> failure.getMessage() == null ? failure.toString() : failure.getMessage();
        });
    return FAILED;
  }

  /**
   * Says what is missing of a journal, if anything is.
   *
   * @param dropped records that its writer had to drop
   * @return the exit code
   */
  int ended(JournalEnd end, long dropped) {
    final boolean whole =
        end.state() == JournalEnd.State.CLEAN || end.state() == JournalEnd.State.LIVE;
    if (!whole) {
      say("the journal is " + end.state().label() + ": " + end.detail());
    }
    if (end.unknownRecords() > 0) {
      say("a newer version wrote records that were skipped: unknown=" + end.unknownRecords());
    }
    if (dropped > 0) {
      say("the writer had to drop records: dropped=" + dropped);
    }
    return whole && dropped == 0 ? OK : INCOMPLETE;
  }
}
