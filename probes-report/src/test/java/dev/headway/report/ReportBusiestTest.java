package dev.headway.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.headway.events.model.Phase;
import dev.headway.events.model.RunModel;
import dev.headway.probes.csv.EventScript;
import dev.headway.probes.csv.StepScript;
import dev.headway.report.html.figures.BusiestFigures;
import dev.headway.report.html.figures.FiguresGatherer;
import dev.headway.report.html.figures.GanttRow;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class ReportBusiestTest {

  @Test
  void shouldShowTheRequestsThatWereAliveWithTheMost() throws IOException {
    final BusiestFigures busiest =
        busiest(
            EventScript.full()
                .queued(0, "early", 0, 0, 8)
                .finished(0, 0, "abort", 0, 50)
                .queued(1, "runs", 100, 100, 8)
                .queued(2, "waits", 110, 110, 8)
                .admitted(1, 1, 0)
                .planned(new StepScript(1, 120, 130).entry(1, 8, 0, true, 1, 1).counts(1, 1, 0, 9))
                .queued(3, "last of three", 140, 140, 8)
                .finished(1, 1, "abort", 0, 200)
                .queued(4, "after", 210, 210, 8)
                .runEnded(300));

    assertThat(busiest.peak()).isEqualTo(3);
    assertThat(busiest.peakNs()).isEqualTo(140);
    assertThat(busiest.rows())
        .extracting(row -> row.request().id())
        .containsExactly("runs", "waits", "last of three");
    assertThat(busiest.rows().getFirst().bars())
        .as("its life goes on after that instant")
        .extracting(GanttRow.Bar::phase, GanttRow.Bar::toNs)
        .endsWith(tuple(Phase.PREFILL, 200L));
    assertThat(busiest.fromNs()).isEqualTo(100);
    assertThat(busiest.toNs()).isEqualTo(300);
  }

  @Test
  void shouldPickEvenlyFromManyAndKeepToTenSeconds() throws IOException {
    final EventScript script = EventScript.full();
    final long second = 1_000_000_000L;
    for (int i = 0; i < 3_000; i++) {
      script.queued(i, "r" + i, i * second / 100, i * second / 100, 8);
    }

    final BusiestFigures busiest = busiest(script.runEnded(40 * second));

    assertThat(busiest.peak()).isBetween(2_940L, 3_000L);
    assertThat(busiest.rows()).hasSize(60);
    assertThat(busiest.rows().getFirst().request().id()).isEqualTo("r0");
    assertThat(busiest.toNs() - busiest.fromNs()).isLessThanOrEqualTo(10 * second);
    assertThat(busiest.peakNs()).isBetween(busiest.fromNs(), busiest.toNs());
  }

  private static BusiestFigures busiest(EventScript script) throws IOException {
    final FiguresGatherer gatherer = new FiguresGatherer(FiguresGatherer.LATEST);
    try (RunModel tracker = new RunModel(gatherer)) {
      script.playTo(tracker);
    }
    return gatherer.figures().busiest();
  }
}
