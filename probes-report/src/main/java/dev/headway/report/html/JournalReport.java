package dev.headway.report.html;

import dev.headway.events.model.RunModel;
import dev.headway.probes.chronicle.JournalEnd;
import dev.headway.probes.chronicle.JournalProgress;
import dev.headway.probes.chronicle.JournalPump;
import dev.headway.probes.chronicle.RecordSource;
import dev.headway.report.html.figures.FiguresGatherer;
import dev.headway.report.html.figures.ReportFigures;
import dev.headway.report.html.figures.Slo;
import dev.headway.report.html.page.ReportPage;
import java.io.IOException;
import java.util.NoSuchElementException;

/** Gathers what a report needs from a journal. Stateless. */
public final class JournalReport {

  private JournalReport() {}

  /**
   * Reads all of {@code source}.
   *
   * @param name of the journal, for people
   * @param run which run, from 0, or {@link FiguresGatherer#LATEST}
   * @param slo what requests are judged by; {@link Slo#NONE} for their own targets
   * @throws NoSuchElementException if there is no such run
   * @throws IOException if the journal cannot be read
   */
  public static ReportPage.Source read(
      RecordSource source, String name, int run, Slo slo, JournalProgress progress)
      throws IOException {
    final FiguresGatherer gatherer = new FiguresGatherer(run, slo);
    final JournalEnd end = JournalPump.pump(source, new RunModel(gatherer), progress);
    final ReportFigures figures = gatherer.figures();
    if (figures == null) {
      throw new NoSuchElementException(
          gatherer.runs() == 0
              ? "the journal holds no run: " + name
              : "--run must be in [0, " + (gatherer.runs() - 1) + "]: --run=" + run);
    }
    return new ReportPage.Source(figures, end, name, gatherer.runs());
  }
}
