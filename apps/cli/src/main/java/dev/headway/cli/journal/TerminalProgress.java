package dev.headway.cli.journal;

import dev.headway.probes.chronicle.JournalProgress;
import java.io.Console;
import java.io.PrintWriter;
import java.io.Writer;
import java.lang.reflect.InvocationTargetException;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import org.jspecify.annotations.Nullable;

/**
 * Shows how far a command is: a bar on a terminal, else a line every few seconds. Rows below 0 are
 * not shown.
 */
final class TerminalProgress implements JournalProgress, AutoCloseable {

  private static final int WHOLE_PERMILLE = 1_000;
  private static final long LINE_EVERY_NS = TimeUnit.SECONDS.toNanos(5);

  private final String command;
  private final PrintWriter lines;
  private final @Nullable ProgressBar bar;
  private long nextLineNs;

  private TerminalProgress(String command, PrintWriter lines, @Nullable ProgressBar bar) {
    this.command = command;
    this.lines = lines;
    this.bar = bar;
    this.nextLineNs = System.nanoTime() + LINE_EVERY_NS;
  }

  /** A bar if somebody looks at it, else lines to {@code lines}. */
  static TerminalProgress open(String command, PrintWriter lines) {
    return new TerminalProgress(command, lines, isTerminal() ? bar(command) : null);
  }

  /** Nothing. */
  static TerminalProgress silent() {
    return new TerminalProgress("", new PrintWriter(Writer.nullWriter()), null);
  }

  @Override
  public void advanced(long records, long rows, int donePermille) {
    if (bar != null) {
      bar.maxHint(donePermille < 0 ? -1 : WHOLE_PERMILLE);
      bar.stepTo(donePermille < 0 ? records : donePermille);
      bar.setExtraMessage(rows < 0 ? "" : rows + " rows");
    } else if (System.nanoTime() >= nextLineNs) {
      nextLineNs += LINE_EVERY_NS;
      lines.println(line(command, records, rows, donePermille));
      lines.flush();
    }
  }

  @Override
  public void close() {
    if (bar != null) {
      bar.close();
    }
  }

  static String line(String command, long records, long rows, int donePermille) {
    final String share =
        donePermille < 0
            ? ""
            : String.format(Locale.ROOT, "%d.%d %%, ", donePermille / 10, donePermille % 10);
    final String made = rows < 0 ? "" : ", rows=" + rows;
    return "headway " + command + ": " + share + "records=" + records + made;
  }

  private static ProgressBar bar(String command) {
    return new ProgressBarBuilder()
        .setTaskName(command)
        .setInitialMax(WHOLE_PERMILLE)
        .setStyle(ProgressBarStyle.ASCII)
        .build();
  }

  /** {@code Console.isTerminal} came with Java 22; before, a console was always a terminal. */
  @SuppressWarnings("SystemConsoleNull") // on Java 21 it is null without a terminal
  private static boolean isTerminal() {
    final Console console = System.console();
    if (console == null) {
      return false;
    }
    try {
      return (boolean) Console.class.getMethod("isTerminal").invoke(console);
    } catch (NoSuchMethodException olderJava) {
      return true;
    } catch (IllegalAccessException | InvocationTargetException unknown) {
      return false;
    }
  }
}
