package dev.headway.report.html.figures;

import dev.headway.events.model.RunListener;
import dev.headway.events.model.RunTimeline;
import org.jspecify.annotations.Nullable;

/**
 * Gathers the figures of one run of a journal: the one asked for, or the latest. Figures of the
 * runs before are let go of when the next begins.
 */
public final class FiguresGatherer implements RunListener {

  /** Asks for the latest run. */
  public static final int LATEST = -1;

  private static final RunListener NONE = new RunListener() {};

  private final int wanted;
  private final Slo slo;
  private @Nullable ReportFigures figures;
  private int runs;

  /** Gathers run {@code wanted}, from 0, or {@link #LATEST}. */
  public FiguresGatherer(int wanted) {
    this(wanted, Slo.NONE);
  }

  /** Gathers that run, and judges its requests by {@code slo}. */
  public FiguresGatherer(int wanted, Slo slo) {
    this.wanted = wanted;
    this.slo = slo;
  }

  /** The figures, or null if there is no such run. */
  public @Nullable ReportFigures figures() {
    return figures;
  }

  /** Runs in the journal. */
  public int runs() {
    return runs;
  }

  @Override
  public RunListener onRun(RunTimeline run) {
    runs++;
    if (wanted != LATEST && wanted != run.index()) {
      return NONE;
    }
    figures = new ReportFigures(run, slo);
    return figures;
  }
}
