package dev.headway.report;

import dev.headway.events.model.RunModel;
import dev.headway.probes.chronicle.JournalEnd;
import dev.headway.probes.csv.SyntheticRun;
import dev.headway.report.html.figures.FiguresGatherer;
import dev.headway.report.html.page.ReportPage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Writes the report of a synthetic run: FILE, STEPS. */
final class BigReport {

  private BigReport() {}

  public static void main(String[] arguments) throws IOException {
    final long beginNs = System.nanoTime();
    final FiguresGatherer gatherer = new FiguresGatherer(FiguresGatherer.LATEST);
    try (RunModel tracker = new RunModel(gatherer)) {
      new SyntheticRun(32, 64).play(tracker, Long.parseLong(arguments[1]));
    }
    final String page =
        ReportPage.render(
            new ReportPage.Source(gatherer.figures(), JournalEnd.clean(1), "synthetic", 1), null);
    Files.writeString(Path.of(arguments[0]), page);
    System.out.println("seconds=" + (System.nanoTime() - beginNs) / 1_000_000_000L);
  }
}
