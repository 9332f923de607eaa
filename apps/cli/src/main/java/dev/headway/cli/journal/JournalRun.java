package dev.headway.cli.journal;

import dev.headway.events.live.RecordConsumer;
import dev.headway.probes.chronicle.JournalReader;
import dev.headway.probes.chronicle.ReadSummary;
import dev.headway.probes.chronicle.RunEnd;
import dev.headway.probes.chronicle.RunSummary;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** A journal read into a consumer, and what is said of it. */
final class JournalRun {

  static final int OK = 0;
  static final int FAILED = 1;
  static final int INCOMPLETE = 3;

  private static final int BATCH = 4_096;

  private final String command;
  private final PrintWriter err;

  JournalRun(String command, PrintWriter err) {
    this.command = command;
    this.err = err;
  }

  /** Reads every run and closes the consumer, also if reading fails. */
  ReadSummary read(Path journal, RecordConsumer consumer, ReadProgress progress)
      throws IOException {
    try (consumer;
        JournalReader reader = JournalReader.open(journal)) {
      while (reader.poll(consumer, BATCH) > 0) {
        progress.advanced(reader);
      }
      return reader.readAll(consumer);
    }
  }

  /** Says what is wrong with the journal; returns the exit code. */
  int report(ReadSummary summary) {
    int code = OK;
    for (RunSummary run : summary.runs()) {
      if (run.end() != RunEnd.CLEAN || run.droppedRecords() > 0) {
        say(run.message());
        code = INCOMPLETE;
      }
    }
    return code;
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

  /** Prints a line; control characters of names and files become visible. */
  void say(String message) {
    final StringBuilder line = new StringBuilder("headway ").append(command).append(": ");
    message
        .codePoints()
        .forEach(
            point -> {
              if (Character.isISOControl(point)
                  || Character.getType(point) == Character.FORMAT
                  || Character.getType(point) == Character.LINE_SEPARATOR
                  || Character.getType(point) == Character.PARAGRAPH_SEPARATOR) {
                line.append("\\u").append(Integer.toHexString(0x10000 | point).substring(1));
              } else {
                line.appendCodePoint(point);
              }
            });
    err.println(line);
    err.flush();
  }
}
