package dev.headway.report.profile;

import dev.headway.events.model.RunListener;
import dev.headway.events.model.RunModel;
import dev.headway.events.model.RunTimeline;
import dev.headway.events.model.StepTimeline;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes a profile: a line for each step that scheduled a token. One thread, never the engine's.
 *
 * <p>Lines reach the file a hundred at a time, and with every {@link #flush}, which the caller
 * makes once a second. Every failure is reported: where the file is and that it can be written at
 * the beginning, what became of the records at the end.
 */
public final class ProfileWriter implements RunListener {

  private static final String PREFIX = "scheduler profiling: ";

  private final LineSink lines;
  private final Consumer<String> messages;
  private final ProfileLine line = new ProfileLine();
  private final @Nullable ConsoleStatistics console;
  private long written;
  private long emptySteps;
  private long dropped;

  private ProfileWriter(
      LineSink lines, Consumer<String> messages, @Nullable ConsoleStatistics console) {
    this.lines = lines;
    this.messages = messages;
    this.console = console;
  }

  /**
   * Opens a profile for a live engine.
   *
   * @param messages gets the lines for the console, and those on the beginning and the end
   * @return the consumer of records; closing it closes the file
   * @throws IOException if the file cannot be written, which {@code messages} receives as well
   */
  public static RunModel open(ProfileOptions options, Consumer<String> messages)
      throws IOException {
    return open(options, messages, Clock.systemUTC());
  }

  static RunModel open(ProfileOptions options, Consumer<String> messages, Clock clock)
      throws IOException {
    final Path path = ProfilePath.resolve(options.log(), options.fileName(), clock.instant());
    final ProfileFile file;
    try {
      file = ProfileFile.open(path, options.rotateBytes());
    } catch (IOException e) {
      messages.accept(PREFIX + "not written, the file must be writable: file=" + path + ", " + e);
      throw e;
    }
    messages.accept(
        PREFIX
            + "writing: file="
            + path
            + ", writable=true, console="
            + options.console().name().toLowerCase(Locale.ROOT));
    final ConsoleStatistics console =
        options.console() == ConsoleLines.OFF ? null : new ConsoleStatistics(messages);
    return new RunModel(new ProfileWriter(file, messages, console));
  }

  /** A consumer that writes lines to {@code file}, says nothing, and closes it. */
  public static RunModel toFile(ProfileFile file) {
    return new RunModel(new ProfileWriter(file, message -> {}, null));
  }

  /** A consumer that writes lines to {@code out}, says nothing, and leaves it open. */
  public static RunModel toText(Appendable out) {
    final LineSink sink = line -> out.append(line).append('\n');
    return new RunModel(new ProfileWriter(sink, message -> {}, null));
  }

  @Override
  public RunListener onRun(RunTimeline run) {
    run.countWaits();
    if (console != null) {
      console.restart();
    }
    return this;
  }

  @Override
  public void onStep(StepTimeline step) {
    if (step.plan().totalTokens() == 0) {
      emptySteps++;
      return;
    }
    if (console != null) {
      console.add(step);
    }
    try {
      lines.append(line.of(step, written));
    } catch (IOException e) {
      throw new UncheckedIOException(
          PREFIX + "cannot write " + lines.name() + " after " + written + " records: " + e, e);
    }
    written++;
  }

  @Override
  public void onDropped(long records) {
    dropped += records;
  }

  @Override
  public void flush() throws IOException {
    lines.flush();
  }

  @Override
  public void close() throws IOException {
    if (console != null) {
      console.report();
    }
    try {
      lines.close();
    } finally {
      messages.accept(
          PREFIX
              + "closed: written="
              + (written - lines.lost())
              + ", dropped="
              + (dropped + lines.lost())
              + ", emptySteps="
              + emptySteps
              + ", file="
              + lines.name());
    }
    if (written == 0) {
      messages.accept(PREFIX + "the file is empty, since no step has scheduled a token");
    }
  }
}
