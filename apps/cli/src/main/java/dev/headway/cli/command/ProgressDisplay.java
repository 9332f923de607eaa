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
 * How far long work is, the same for every command: a bar on a terminal; without one a line when a
 * further tenth is done, at least ten seconds apart. One thread.
 */
public final class ProgressDisplay implements JournalProgress, AutoCloseable {

  static final long LINE_EVERY_NS = TimeUnit.SECONDS.toNanos(10);

  private static final int WHOLE_PERMILLE = 1_000;
  private static final int WHOLE_PERCENT = 100;
  private static final int TENTHS = 10;
  private static final int UNKNOWN = -1;
  private static final int UPDATE_MS = 200;
  private static final int WIDTH = 90;

  private final @Nullable ProgressBar bar;
  private final long total;
  private final String unit;
  private final Consumer<String> lines;
  private final LongSupplier clockNs;
  private long nextLineNs;
  private long tenthsSaid;

  ProgressDisplay(
      @Nullable ProgressBar bar,
      long total,
      String unit,
      Consumer<String> lines,
      LongSupplier clockNs) {
    this.bar = bar;
    this.total = total;
    this.unit = unit;
    this.lines = lines;
    this.clockNs = clockNs;
    this.nextLineNs = clockNs.getAsLong() + LINE_EVERY_NS;
  }

  /** Shows nothing. */
  public static ProgressDisplay silent() {
    return new ProgressDisplay(null, UNKNOWN, "", line -> {}, System::nanoTime);
  }

  /**
   * Shows how many of {@code total} are done.
   *
   * @param total -1 where it is not known
   * @param lines takes what is said without a terminal
   */
  static ProgressDisplay of(String task, long total, String unit, Consumer<String> lines) {
    return new ProgressDisplay(barOf(task, total, unit), total, unit, lines, System::nanoTime);
  }

  /** Shows how much of a journal is read. */
  static ProgressDisplay ofJournal(String task, Consumer<String> lines) {
    return of(task, WHOLE_PERCENT, " %", lines);
  }

  /** Says how many are done. */
  public void to(long done) {
    if (bar != null) {
      bar.stepTo(done);
      return;
    }
    if (isDue(total > 0 ? done * TENTHS / total : UNKNOWN)) {
      lines.accept(
          (total > 0 ? percent(done * WHOLE_PERCENT / total) : "")
              + String.format(Locale.ROOT, "%,d", done)
              + unit);
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
      bar.maxHint(donePermille < 0 ? UNKNOWN : WHOLE_PERCENT);
      bar.stepTo(donePermille < 0 ? records : donePermille / TENTHS);
      note(rows < 0 ? "" : String.format(Locale.ROOT, "%,d rows", rows));
    } else if (isDue(donePermille < 0 ? UNKNOWN : donePermille * TENTHS / WHOLE_PERMILLE)) {
      lines.accept(line(records, rows, donePermille));
    }
  }

  @Override
  public void close() {
    if (bar != null) {
      bar.close();
    }
  }

  /** Whether a line is due: a further tenth is done, or it is not known how much there is. */
  private boolean isDue(long tenths) {
    if ((tenths != UNKNOWN && tenths <= tenthsSaid) || clockNs.getAsLong() < nextLineNs) {
      return false;
    }
    nextLineNs = clockNs.getAsLong() + LINE_EVERY_NS;
    tenthsSaid = Math.max(tenthsSaid, tenths);
    return true;
  }

  static String line(long records, long rows, int donePermille) {
    return (donePermille < 0 ? "" : percent(donePermille / TENTHS))
        + String.format(Locale.ROOT, "%,d records", records)
        + (rows < 0 ? "" : String.format(Locale.ROOT, ", %,d rows", rows));
  }

  private static String percent(long percent) {
    return percent + " %, ";
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
