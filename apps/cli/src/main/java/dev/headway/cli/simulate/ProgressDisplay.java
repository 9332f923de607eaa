package dev.headway.cli.simulate;

import java.io.Console;
import java.util.Optional;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import org.jspecify.annotations.Nullable;

/** A bar on standard error while somebody is looking; otherwise nothing. */
public final class ProgressDisplay implements AutoCloseable {

  private static final int UPDATE_MS = 200;
  private static final int WIDTH = 90;

  private final @Nullable ProgressBar bar;

  private ProgressDisplay(@Nullable ProgressBar bar) {
    this.bar = bar;
  }

  /** Who wants to see progress. */
  public enum Audience {
    /** Nobody, or a file. */
    NOBODY,
    /** A person at a terminal. */
    TERMINAL;

    /** A terminal if there is one. */
    public static Audience present() {
      return Optional.ofNullable(System.console()).filter(Console::isTerminal).isPresent()
          ? TERMINAL
          : NOBODY;
    }
  }

  /** Starts a bar; {@code total} is -1 where it is not known. */
  public static ProgressDisplay start(Audience audience, String task, long total, String unit) {
    return new ProgressDisplay(
        audience == Audience.NOBODY
            ? null
            : new ProgressBarBuilder()
                .setTaskName(task)
                .setInitialMax(total)
                .setUnit(unit, 1)
                .setUpdateIntervalMillis(UPDATE_MS)
                .setMaxRenderedLength(WIDTH)
                .setConsumer(new ConsoleProgressBarConsumer(System.err, WIDTH))
                .build());
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
  public void close() {
    if (bar != null) {
      bar.close();
    }
  }
}
