package dev.headway.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.events.model.RunModel;
import dev.headway.probes.chronicle.JournalEnd;
import dev.headway.probes.csv.EventScript;
import dev.headway.probes.csv.RandomRun;
import dev.headway.probes.csv.StepScript;
import dev.headway.report.html.figures.FiguresGatherer;
import dev.headway.report.html.figures.ReportFigures;
import dev.headway.report.html.page.ReportPage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class ReportPageTest {

  private static final List<String> HOSTILE =
      List.of(
          "<script>alert(1)</script>",
          "</script><img src=x onerror=alert(2)>",
          "\"><svg onload=alert(3)>",
          "' onmouseover='alert(4)",
          "</title></style><b>",
          "]]>--><!--",
          "&lt;already&gt;",
          "nul\u0000esc\u001B[31m",
          "turned\u202Earound",
          "line\u2028",
          "half\uD800");

  @Test
  void shouldHaveItsSectionsInOrderAndAPictureWithEachTable() throws IOException {
    final String page = pageOf(new RandomRun(3, 400, 1).script, "journal");

    assertThat(all(page, "<section id=\"([a-z]+)\""))
        .containsExactly(
            "verdict",
            "numbers",
            "timeline",
            "requests",
            "waits",
            "latency",
            "profile",
            "cost",
            "kv",
            "fairness",
            "appendix");
    assertThat(all(page, "<nav.*?</nav>")).hasSize(1);
    final int figures = all(page, "(<figure )").size();
    assertThat(figures).isGreaterThan(15);
    assertThat(all(page, "(<summary>As a table</summary><div class=\"scroll\"><table>)"))
        .as("every picture needs its table")
        .hasSize(figures);
    assertThat(all(page, "(<svg [^>]*role=\"img\" aria-label=\"[^\"]{10,})"))
        .as("every picture needs its text")
        .hasSize(figures);
    assertThat(page).startsWith("<!DOCTYPE html>\n<html lang=\"en\">").endsWith("</html>\n");
  }

  @Test
  void shouldSayThatTheSubmitterWasBehind() throws IOException {
    assertThat(pageOf(submitted(100, 5_000_000), "journal"))
        .contains("Late submission: 1 % of the requests entered the queue 5.00 ms or more");
    assertThat(pageOf(submitted(100, 500_000), "journal")).doesNotContain("Late submission");
  }

  @Test
  void shouldNotSpeakOfAHundredthOfAFewRequests() throws IOException {
    assertThat(pageOf(submitted(20, 5_000_000), "journal"))
        .contains(
            "Late submission: the latest of the 20 requests entered the queue 5.00 ms after it"
                + " arrived");
    assertThat(pageOf(submitted(10, 5_000_000), "journal")).doesNotContain("Late submission");
  }

  /** Requests that were each queued so long after their arrival, in steps of 1 ms. */
  private static EventScript submitted(int requests, long lateNs) {
    final EventScript script = EventScript.full();
    for (int i = 0; i < requests; i++) {
      final long begin = 10_000_000L * (i + 1);
      final StepScript step =
          new StepScript(i + 1, begin, begin + 10)
              .entry(i, 4, 0, true, 1, 1)
              .counts(1, 0, 0, 99)
              .done(begin + 10, begin + 1_000_000, begin + 1_000_010, 1);
      script
          .queued(i, "r" + i, begin - 100 - lateNs, begin - 100, 4)
          .admitted(i + 1, i, 0)
          .planned(step)
          .firstToken(i + 1, i, begin + 1_000_000)
          .finished(i + 1, i, "length", 1, begin + 1_000_000)
          .completed(step);
    }
    return script.runEnded(20_000_000L * requests);
  }

  @Test
  void shouldBeginTheLivesWithTheBusiestMomentAndNameItsRequests() throws IOException {
    final String page = pageOf(new RandomRun(3, 400, 1).script, "out/journal");

    assertThat(page.indexOf("<svg id=\"busiest\""))
        .isPositive()
        .isLessThan(page.indexOf("<svg id=\"lives\""));
    assertThat(page).contains("data-journal=\"out/journal\"");
    final List<String> ids = all(page, "<g data-request=\"([^\"]+)\"");
    assertThat(ids).hasSizeGreaterThan(10);
    assertThat(all(page, "<g data-request=\"[^\"]+\"><title>request ([^ ]+) ")).isEqualTo(ids);
  }

  @Test
  void shouldLoadNothing() throws IOException {
    final String page = pageOf(new RandomRun(3, 100, 1).script, "journal");

    assertThat(page).doesNotContain("<link", "<iframe", " src=", "@import", "url(", "fetch(");
    assertThat(page).contains("default-src 'none'".replace("'", "&#39;"));
    assertThat(all(page, "(<script)")).hasSize(3);
  }

  @Test
  void shouldMakeTheSameBytesOfTheSameRecords() throws IOException {
    final EventScript script = new RandomRun(5, 300, 2).script;

    assertThat(pageOf(script, "journal")).isEqualTo(pageOf(script, "journal"));
  }

  @Test
  void shouldTakeEveryNameForText() throws IOException {
    for (String name : HOSTILE) {
      final EventScript script = hostile(name);

      final String page = pageOf(script, name);

      assertThat(page)
          .as(name)
          .doesNotContain(
              "<script>alert", "<img", "onerror=alert(2)>", "<svg onload", "<b></b>-->");
      assertThat(page).as(name).contains("Positions in the queue", "ahead at arrival");
      assertThat(all(page, "(<script)")).as(name).hasSize(3);
      assertThat(all(page, "(</script)")).as(name).hasSize(3);
      assertThat(all(page, "(</style)")).as(name).hasSize(1);
      assertThat(all(page, "(</title>)").size()).as(name).isEqualTo(all(page, "(<title>)").size());
      assertThat(page.codePoints().filter(point -> point == 0x202E || point == 0 || point == 0x1B))
          .as(name)
          .isEmpty();
      assertThat(json(page).get("panels").isArray()).as(name).isTrue();
    }
  }

  @Test
  void shouldWriteAPageOfNothing() throws IOException {
    final String empty = pageOf(EventScript.full(), "journal");

    assertThat(empty).contains("No request entered the queue.", "The journal holds no steps.");
  }

  @Test
  void shouldCompareTwoRuns() throws IOException {
    final ReportFigures a = figures(new RandomRun(3, 800, 1).script);
    final ReportFigures b = figures(new RandomRun(4, 800, 1).script);

    final String page =
        ReportPage.render(
            new ReportPage.Source(a, JournalEnd.clean(1), "first <1>", 1),
            new ReportPage.Source(b, JournalEnd.clean(1), "second", 1));

    assertThat(page)
        .contains(
            "<section id=\"compare\"",
            "first &lt;1&gt;",
            "95 % interval",
            "significant?",
            "TTFT, p99")
        .containsPattern("<td class=\"t short\">(no|yes: shorter|yes: longer)</td>");
  }

  @Test
  void shouldFindNoDifferenceBetweenARunAndItself() throws IOException {
    final EventScript script = new RandomRun(3, 800, 1).script;
    final ReportPage.Source source =
        new ReportPage.Source(figures(script), JournalEnd.clean(1), "journal", 1);

    assertThat(ReportPage.render(source, source)).doesNotContain("yes: shorter", "yes: longer");
  }

  @Test
  void shouldNameWhatStandsBehindTheHeadOfLine() throws IOException {
    final EventScript script =
        EventScript.full()
            .queued(0, "big", 0, 0, 8)
            .queued(1, "small", 0, 0, 8)
            .blocked(1, 0, "memory_insufficient", -1, 9, 1)
            .closed(1, "head_of_line", 0)
            .planned(new StepScript(1, 10, 10).counts(0, 2, 0, 100))
            .planned(new StepScript(2, 1_000, 1_000).counts(0, 2, 0, 100))
            .runEnded(1_000);

    final ReportFigures run = figures(script);

    assertThat(run.waits().by(cause -> cause.root()))
        .contains(Map.entry("memory_insufficient", 2L * 990));
    assertThat(pageOf(script, "journal")).contains("99.0 % of all waiting time was for KV cache");
  }

  private static EventScript hostile(String name) {
    return EventScript.full()
        .queued(0, name, 0, 1, 8, 0, name)
        .queued(1, "other", 0, 1, 8, 0, name)
        .rejected(name, 2, name, name)
        .blocked(1, 1, name, 0, 0, 0)
        .closed(1, name, 0)
        .planned(new StepScript(1, 5, 6).counts(0, 2, 0, 100))
        .planned(new StepScript(2, 50, 60).counts(0, 2, 0, 100))
        .runEnded(90);
  }

  private static ReportFigures figures(EventScript script) throws IOException {
    final FiguresGatherer gatherer = new FiguresGatherer(FiguresGatherer.LATEST);
    try (RunModel tracker = new RunModel(gatherer)) {
      script.playTo(tracker);
    }
    return gatherer.figures();
  }

  private static String pageOf(EventScript script, String name) throws IOException {
    return ReportPage.render(
        new ReportPage.Source(figures(script), JournalEnd.clean(script.size()), name, 1), null);
  }

  private static JsonNode json(String page) {
    return new JsonMapper().readTree(all(page, "id=\"data\">(.*?)</script>").get(0));
  }

  private static List<String> all(String page, String pattern) {
    final List<String> found = new ArrayList<>();
    final Matcher matcher = Pattern.compile(pattern, Pattern.DOTALL).matcher(page);
    while (matcher.find()) {
      found.add(matcher.groupCount() == 0 ? matcher.group() : matcher.group(1));
    }
    return found;
  }
}
