package dev.headway.cli.command;

import dev.headway.probes.chronicle.JournalProgress;
import java.io.Console;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import org.jspecify.annotations.Nullable;

/**
 * How far long work is: a bar on a terminal; without one, a line every few seconds while a journal
 * is read, and nothing for other work. One thread.
 */
public final class ProgressDisplay implements JournalProgress, AutoCloseable {

  static final long LINE_EVERY_NS = TimeUnit.SECONDS.toNanos(5);

  private static final int WHOLE_PERMILLE = 1_000;
  private static final int UPDATE_MS = 200;
  private static final int WIDTH = 90;

  private final @Nullable ProgressBar bar;
  private final Consumer<String> lines;
  private final LongSupplier clockNs;
  private long nextLineNs;

  ProgressDisplay(@Nullable ProgressBar bar, Consumer<String> lines, LongSupplier clockNs) {
    this.bar = bar;
    this.lines = lines;
    this.clockNs = clockNs;
    this.nextLineNs = clockNs.getAsLong() + LINE_EVERY_NS;
  }

  /** Shows nothing. */
  public static ProgressDisplay silent() {
    return new ProgressDisplay(null, line -> {}, System::nanoTime);
  }

  /**
   * Shows a bar on a terminal.
   *
   * @param total -1 where it is not known
   */
  static ProgressDisplay bar(String task, long total, String unit) {
    return new ProgressDisplay(barOf(task, total, unit), line -> {}, System::nanoTime);
  }

  /** Shows permille of a journal: a bar on a terminal, else lines to {@code lines}. */
  static ProgressDisplay ofJournal(String task, Consumer<String> lines) {
    return new ProgressDisplay(barOf(task, WHOLE_PERMILLE, " ‰"), lines, System::nanoTime);
  }

  /** Moves the bar. */
  public void to(long done) {
    if (bar != null) {
      bar.stepTo(done);
    }
  }

  /** Shows a remark beside the bar. */
  public void note(String text) {
    if (bar != null) {
      bar.setExtraMessage(" " + text);
    }
  }

  @Override
  public void advanced(long records, long rows, int donePermille) {
    if (bar != null) {
      bar.maxHint(donePermille < 0 ? -1 : WHOLE_PERMILLE);
      to(donePermille < 0 ? records : donePermille);
      note(rows < 0 ? "" : String.format(Locale.ROOT, "%,d rows", rows));
      return;
    }
    final long nowNs = clockNs.getAsLong();
    if (nowNs >= nextLineNs) {
      nextLineNs = nowNs + LINE_EVERY_NS;
      lines.accept(line(records, rows, donePermille));
    }
  }

  @Override
  public void close() {
    if (bar != null) {
      bar.close();
    }
  }

  static String line(long records, long rows, int donePermille) {
    return (donePermille < 0
            ? ""
            : String.format(Locale.ROOT, "%d.%d %%, ", donePermille / 10, donePermille % 10))
        + "records="
        + records
        + (rows < 0 ? "" : ", rows=" + rows);
  }

  private static @Nullable ProgressBar barOf(String task, long total, String unit) {
    return Optional.ofNullable(System.console()).filter(Console::isTerminal).isEmpty()
        ? null
        : new ProgressBarBuilder()
            .setTaskName(task)
            .setInitialMax(total)
            .setUnit(unit, 1)
            .setUpdateIntervalMillis(UPDATE_MS)
            .setMaxRenderedLength(WIDTH)
            .setConsumer(new ConsoleProgressBarConsumer(System.err, WIDTH))
            .build();
  }
}
