package dev.headway.report;

import static dev.headway.api.Absent.ABSENT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.headway.events.model.RunModel;
import dev.headway.probes.chronicle.JournalEnd;
import dev.headway.probes.csv.EventScript;
import dev.headway.probes.csv.RandomRun;
import dev.headway.probes.csv.StepScript;
import dev.headway.report.html.figures.FiguresGatherer;
import dev.headway.report.html.figures.ReportFigures;
import dev.headway.report.html.figures.Slo;
import dev.headway.report.html.page.ReportPage;
import dev.headway.toolbox.chart.Axis;
import dev.headway.toolbox.text.Human;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Limits, goodput, what may mislead, and axes of things that are counted. */
class ReportSloTest {

  private static final long NONE = ABSENT;

  /** One run: a has TTFT 200, TPOT 800, E2E 1,000; b 150, 800, 950; c is cancelled; d refused. */
  @ParameterizedTest
  @CsvSource({
    "160, , , 1",
    "150, , , 1",
    "149, , , 0",
    "200, , , 2",
    ", 800, , 2",
    ", 799, , 0",
    ", , 950, 1",
    ", , 1000, 2",
    "160, 800, 1000, 1",
    "200, 800, 949, 0"
  })
  void shouldCountRequestsWithinEveryLimit(Long ttft, Long tpot, Long endToEnd, long met)
      throws IOException {
    final ReportFigures run = figures(targets(300, 100), slo(ttft, tpot, endToEnd));

    assertThat(run.goodput().judged()).isEqualTo(4);
    assertThat(run.goodput().met()).isEqualTo(met);
    assertThat(run.goodput().share()).isEqualTo(met / 4.0);
  }

  @Test
  void shouldJudgeByTheRequestsTargetsWhenNoLimitIsGiven() throws IOException {
    final ReportFigures run = figures(targets(300, 100), Slo.NONE);

    assertThat(run.goodput().judged()).isEqualTo(3); // c was cancelled: it missed its target
    assertThat(run.goodput().met()).isEqualTo(1);
    assertThat(run.goodput().commonTtftNs()).isEqualTo(NONE);
    assertThat(page(run))
        .contains("Goodput: TTFT within the target of the request", "33.3 % of 3")
        .doesNotContain("class=\"slo\"");
    assertThat(figures(targets(300, 300), Slo.NONE).goodput().commonTtftNs()).isEqualTo(300);
  }

  @Test
  void shouldSayNothingOfGoodputWithoutLimitsAndTargets() throws IOException {
    assertThat(page(figures(new RandomRun(3, 100, 1).script, Slo.NONE)))
        .doesNotContain("Goodput", "met their SLO", "class=\"slo\"");
  }

  @Test
  void shouldDrawLimitsAndTellGoodput() throws IOException {
    final String page = page(figures(targets(300, 100), slo(160L, 900L, 960L)));

    // 1 request of the 4 within 1,000 ns, from the first step to the last output
    assertThat(page)
        .contains(
            "<td class=\"t\">Goodput, requests per second</td>" + "<td class=\"n\">1,000,000</td>",
            "Goodput: TTFT ≤ 160 ns, TPOT ≤ 900 ns, E2E ≤ 960 ns",
            "25.0 % of 4",
            "160 ns (SLO)",
            "50.0 % within");
    assertThat(page.split("class=\"slo\"", -1)).hasSize(1 + 3);
  }

  @Test
  void shouldCompareGoodput() throws IOException {
    final Slo slo = slo(160L, null, 1_000L);
    final String page =
        ReportPage.render(
            source(figures(targets(300, 100), slo), JournalEnd.clean(1)),
            source(figures(targets(300, 100), slo), JournalEnd.clean(1)));

    assertThat(page)
        .contains("Goodput: requests per second", "Goodput: share of requests, %", "SLO 160 ns")
        .contains("50.0 % / 50.0 % within");
  }

  @Test
  void shouldCountValuesUpToALimit() throws IOException {
    final ReportFigures run = figures(targets(300, 100), Slo.NONE);

    assertThat(run.latencies().all().ttft().shareAtMost(149)).isZero();
    assertThat(run.latencies().all().ttft().shareAtMost(150)).isEqualTo(0.5);
    assertThat(run.latencies().all().ttft().shareAtMost(200)).isOne();
    assertThat(run.latencies().tokenGap().shareAtMost(800)).isCloseTo(1, within(0.0));
  }

  @Test
  void shouldWarnOfAClockThatIsWorseThanTheLeastWait() throws IOException {
    final String text = "The clock anchor is uncertain by 41 ns";

    assertThat(page(figures(waits(EventScript.inRealTime(41)), Slo.NONE)))
        .contains(text + ", more than all waiting for kv_pressure (40 ns)");
    assertThat(page(figures(waits(EventScript.inRealTime(40)), Slo.NONE)))
        .doesNotContain("The clock anchor is uncertain");
    assertThat(page(figures(EventScript.inRealTime(41).runEnded(9), Slo.NONE)))
        .doesNotContain("The clock anchor is uncertain");
  }

  @Test
  void shouldWarnOfWhatIsMissing() throws IOException {
    final ReportFigures summary =
        figures(new EventScript().run("summary", Map.of()).dropped(3).runEnded(9), Slo.NONE);
    final JournalEnd cut = new JournalEnd(JournalEnd.State.CUT, "after <record> 3", 3, 0);
    final JournalEnd damaged = new JournalEnd(JournalEnd.State.DAMAGED, "at byte 99", 3, 0);

    assertThat(ReportPage.render(source(summary, cut), null))
        .contains(
            "The journal is cut, so figures end where it does: after &lt;record&gt; 3.",
            "The writer had to drop records (3)",
            "The journal was written at level summary");
    assertThat(ReportPage.render(source(summary, damaged), null))
        .contains("The journal is damaged, so figures end where it does: at byte 99.");
    assertThat(page(figures(new RandomRun(3, 100, 1).script, Slo.NONE)))
        .doesNotContain("The journal is cut", "drop records", "at level summary");
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, 0.2, 1, 1.4, 2, 3, 4.5, 7.5, 12.5, 13, 99, 12_345})
  void shouldMarkWholeNumbersWhereThingsAreCounted(double high) {
    for (int marks = 3; marks < 9; marks++) {
      for (Axis axis :
          new Axis[] {
            Axis.counts("", high, marks, Human::compact),
            Axis.countsFromZero("", high, marks, Human::compact)
          }) {
        assertThat(axis.ticks()).isNotEmpty();
        assertThat(axis.ticks()).allMatch(tick -> tick.value() == Math.rint(tick.value()));
        assertThat(axis.high()).isGreaterThanOrEqualTo(high);
      }
    }
  }

  private static EventScript targets(long targetA, long targetB) {
    return EventScript.full()
        .queued(0, "a", 0, targetA)
        .queued(1, "b", 50, targetB)
        .queued(2, "c", 60, 300)
        .rejected("d", 70, "queue_full", "no")
        .admitted(1, 0, 0)
        .admitted(1, 1, 0)
        .planned(
            new StepScript(1, 0, 100)
                .entry(0, 8, 0, true, 1, 1)
                .entry(1, 8, 0, true, 1, 1)
                .counts(2, 1, 0, 98))
        .firstToken(1, 0, 200)
        .firstToken(1, 1, 200)
        .completed(
            new StepScript(1, 0, 100)
                .entry(0, 8, 0, true, 1, 1)
                .entry(1, 8, 0, true, 1, 1)
                .done(110, 200, 210, 1, 1))
        .planned(
            new StepScript(2, 210, 220)
                .entry(0, 1, 8, true, 1, 0)
                .entry(1, 1, 8, true, 1, 0)
                .counts(2, 1, 0, 98))
        .finished(2, 0, "length", 1, 1_000)
        .finished(2, 1, "stop", 1, 1_000)
        .finished(2, 2, "abort", 0, 1_000)
        .completed(
            new StepScript(2, 210, 220)
                .entry(0, 1, 8, true, 1, 0)
                .entry(1, 1, 8, true, 1, 0)
                .done(230, 1_000, 1_010, 1, 1))
        .runEnded(1_100);
  }

  /** Waits of 50 ns for the first plan, 1,000 ns for token_budget, 40 ns for kv_pressure. */
  private static EventScript waits(EventScript begun) {
    return begun
        .queued(0, "r", 0, 0, 8)
        .blocked(1, 0, "token_budget", -1, 0, 0)
        .planned(new StepScript(1, 0, 50).counts(0, 1, 0, 100))
        .blocked(2, 0, "kv_pressure", -1, 0, 0)
        .planned(new StepScript(2, 1_000, 1_050).counts(0, 1, 0, 100))
        .runEnded(1_090);
  }

  private static Slo slo(Long ttft, Long tpot, Long endToEnd) {
    return new Slo(
        ttft == null ? NONE : ttft, tpot == null ? NONE : tpot, endToEnd == null ? NONE : endToEnd);
  }

  private static ReportFigures figures(EventScript script, Slo slo) throws IOException {
    final FiguresGatherer gatherer = new FiguresGatherer(FiguresGatherer.LATEST, slo);
    try (RunModel tracker = new RunModel(gatherer)) {
      script.playTo(tracker);
    }
    return gatherer.figures();
  }

  private static ReportPage.Source source(ReportFigures figures, JournalEnd end) {
    return new ReportPage.Source(figures, end, "journal", 1);
  }

  private static String page(ReportFigures figures) {
    return ReportPage.render(source(figures, JournalEnd.clean(1)), null);
  }
}
