package dev.headway.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.headway.events.model.RunModel;
import dev.headway.events.record.JournalLevel;
import dev.headway.events.scenario.EventfulRun;
import dev.headway.probes.chronicle.JournalProbe;
import dev.headway.probes.chronicle.JournalProgress;
import dev.headway.probes.chronicle.JournalSource;
import dev.headway.probes.csv.CsvConverter;
import dev.headway.probes.csv.CsvResult;
import dev.headway.probes.csv.EventScript;
import dev.headway.probes.csv.RandomRun;
import dev.headway.probes.csv.RealRun;
import dev.headway.probes.csv.option.ConvertOptions;
import dev.headway.report.analyze.Analysis;
import dev.headway.report.analyze.Figure;
import dev.headway.report.analyze.StepTable;
import dev.headway.report.analyze.StepTables;
import dev.headway.report.analyze.WarmUp;
import dev.headway.report.html.JournalReport;
import dev.headway.report.html.figures.FiguresGatherer;
import dev.headway.report.html.figures.KvFigures;
import dev.headway.report.html.figures.ReportFigures;
import dev.headway.report.html.figures.Slo;
import dev.headway.report.html.page.ReportPage;
import dev.headway.toolbox.stats.Distribution;
import dev.headway.toolbox.text.Human;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The report and the CSV files are two readers of one journal: they may not differ. */
class ReportMatchesCsvTest {

  private static final JournalProgress SILENT = (records, rows, permille) -> {};

  @TempDir private Path temporary;

  @Test
  void shouldSayOfARealRunWhatTheCsvFilesSay() throws IOException {
    for (long seed = 1; seed <= 3; seed++) {
      final Path journal = temporary.resolve("journal" + seed);
      RealRun.into(journal, seed, 24);
      final CsvResult csv = new CsvResult(temporary.resolve("csv" + seed));
      try (JournalSource source = JournalSource.open(journal)) {
        new CsvConverter(source, csv.directory(), ConvertOptions.DEFAULT, SILENT).convert();
      }

      final ReportFigures run = report(journal).figures();

      assertThat(run.steps().preemptions()).as("seed=%s must preempt", seed).isPositive();
      assertThat(run.facts().rejected()).as("seed=%s must reject", seed).isPositive();
      assertThat(run.facts().endings()).as("seed=%s", seed).containsKey("abort");
      assertSame(run, csv, "seed=" + seed);
    }
  }

  /** With a deadline while preempted, shared wait reasons, evictions and accepted drafts. */
  @Test
  void shouldSayOfAnEventfulRunWhatTheCsvFilesSay() throws IOException {
    int runs = 0;
    for (EventfulRun eventful : List.of(EventfulRun.plain(), EventfulRun.withDrafts())) {
      final Path journal = temporary.resolve("journal" + runs);
      eventful.run(JournalProbe.open(journal, JournalLevel.FULL));
      final CsvResult csv = new CsvResult(temporary.resolve("csv" + runs++));
      try (JournalSource source = JournalSource.open(journal)) {
        new CsvConverter(source, csv.directory(), ConvertOptions.DEFAULT, SILENT).convert();
      }

      final ReportFigures run = report(journal).figures();

      assertThat(run.facts().endings()).containsKey("deadline");
      assertThat(waits(run)).containsKeys("max_num_seqs", "preempted");
      assertSame(run, csv, "run=" + runs);
      final Distribution seen = new Distribution();
      eventful.forEachWithTokens(
          request -> {
            final List<Long> tokens = request.getValue();
            if (tokens.size() > 1) {
              seen.add((tokens.getLast() - tokens.getFirst()) / (tokens.size() - 1));
            }
          });
      assertThat(run.latencies().all().tpot().mean()).isEqualTo(seen.mean());
      assertThat(run.latencies().all().tpot().quantile(0.9)).isEqualTo(seen.quantile(0.9));
    }
  }

  @Test
  void shouldSayOfMadeUpRunsWhatTheCsvFilesSay() throws IOException {
    for (long seed = 1; seed <= 25; seed++) {
      final EventScript script = new RandomRun(seed, 300, 1 + (int) (seed % 2)).script;
      final CsvResult csv = CsvResult.of(script, temporary.resolve("csv" + seed));
      final FiguresGatherer gatherer = new FiguresGatherer(FiguresGatherer.LATEST);

      try (RunModel tracker = new RunModel(gatherer)) {
        script.playTo(tracker);
      }

      assertSame(gatherer.figures(), csv, "seed=" + seed);
    }
  }

  /** Returns from preemptions find their own blocks: nobody may count those as shared prefixes. */
  @Test
  void shouldSayOfThePrefixCacheWhatTheStatisticsSay() throws IOException {
    for (long seed = 1; seed <= 25; seed++) {
      final EventScript script = new RandomRun(seed, 300, 1).script;
      final StepTable table = new StepTable();
      final FiguresGatherer gatherer = new FiguresGatherer(FiguresGatherer.LATEST);
      try (RunModel statistics = StepTables.consumer(table);
          RunModel report = new RunModel(gatherer)) {
        script.playTo(statistics);
        script.playTo(report);
      }
      final Map<String, Double> figures =
          Analysis.of(table, WarmUp.DEFAULT).figures().stream()
              .collect(Collectors.toMap(Figure::name, Figure::all));

      final KvFigures kv = gatherer.figures().kv();

      assertThat(gatherer.figures().steps().preemptions()).as("seed=%s", seed).isPositive();
      assertThat(kv.hitShare()).as("seed=%s must hit", seed).isBetween(0.001, 0.999);
      assertThat(figures)
          .as("seed=%s", seed)
          .containsEntry("cache_hit_ratio_by_token", kv.hitShare())
          .containsEntry("cache_hit_ratio_by_request", kv.requestHitShare());
    }
  }

  @Test
  void shouldShowTheFiguresItGathered() throws IOException {
    final Path journal = temporary.resolve("journal");
    RealRun.into(journal, 4, 24);
    final ReportPage.Source source = report(journal);

    final String page = ReportPage.render(source, null);

    final ReportFigures run = source.figures();
    assertThat(page)
        .contains(
            "<b>" + run.facts().queued() + "</b><span>requests accepted</span>",
            "<b>" + run.steps().preemptions() + "</b><span>preemptions</span>",
            "<td class=\"t short\">Steps</td><td class=\"n\">"
                + Human.count(run.steps().steps())
                + "</td>");
    run.waits()
        .endedByReason()
        .forEach(reason -> assertThat(page).contains("<td class=\"t short\">" + reason.getKey()));
  }

  private static ReportPage.Source report(Path journal) throws IOException {
    try (JournalSource source = JournalSource.open(journal)) {
      return JournalReport.read(source, "journal", FiguresGatherer.LATEST, Slo.NONE, SILENT);
    }
  }

  private static void assertSame(ReportFigures run, CsvResult csv, String as) {
    final List<Map<String, String>> requests = csv.requests();
    final List<Map<String, String>> ended = with(requests, "status", "finished");
    assertThat(run.facts().ended()).as(as).isEqualTo(ended.size());
    assertThat(run.facts().rejected())
        .as(as)
        .isEqualTo(with(requests, "status", "rejected").size());
    assertThat(run.facts().unfinished())
        .as(as)
        .isEqualTo(with(requests, "status", "unfinished").size());
    assertThat(run.steps().steps()).as(as).isEqualTo(csv.iterations().size());
    assertThat(run.steps().tokens()).as(as).isEqualTo(sum(csv.iterations(), "total_tokens"));
    assertThat(run.steps().preemptions()).as(as).isEqualTo(sum(requests, "preemption_count"));
    assertThat(run.steps().recomputedTokens()).as(as).isEqualTo(sum(requests, "recomputed_tokens"));
    assertThat(run.steps().outputTokens()).as(as).isEqualTo(sum(requests, "output_tokens"));
    assertThat(waits(run)).as(as).isEqualTo(waits(ended));
    assertThat(run.latencies().waited().sum()).as(as).isEqualTo(sum(ended, "waiting_time"));
    assertThat(run.waits().totalNs() - run.waits().openTotalNs())
        .as(as)
        .isEqualTo(sum(ended, "waiting_time"));
    assertSame(run.latencies().all().ttft(), values(requests, "ttft"), as + ", ttft");
    assertSame(run.latencies().all().tpot(), values(requests, "tpot"), as + ", tpot");
    assertSame(run.latencies().all().endToEnd(), values(ended, "e2e_latency"), as + ", e2e");
    assertSame(run.steps().duration(), values(csv.iterations(), "duration"), as + ", duration");
  }

  private static Map<String, Long> waits(ReportFigures run) {
    final Map<String, Long> waits = new TreeMap<>();
    run.waits().endedByReason().forEach(entry -> waits.put(entry.getKey(), entry.getValue()));
    return waits;
  }

  private static Map<String, Long> waits(List<Map<String, String>> ended) {
    final Map<String, Long> waits = new TreeMap<>();
    for (String column : ended.get(0).keySet()) {
      if (column.startsWith("waiting_") && column.endsWith("_ns") && !column.contains("other")) {
        final long ns = sum(ended, column);
        if (ns != 0) {
          waits.put(column.substring("waiting_".length(), column.length() - 3), ns);
        }
      }
    }
    return waits;
  }

  private static void assertSame(Distribution distribution, double[] values, String as) {
    assertThat(distribution.count()).as(as).isEqualTo(values.length);
    for (double quantile : new double[] {0.5, 0.99}) {
      assertThat(distribution.quantile(quantile))
          .as(as)
          .isCloseTo(quantile(values, quantile), within(1e-3));
    }
  }

  /** Linear interpolation, written once more. */
  private static double quantile(double[] sorted, double quantile) {
    if (sorted.length == 0) {
      return 0;
    }
    final double rank = quantile * (sorted.length - 1);
    final int low = (int) rank;
    final int high = Math.min(low + 1, sorted.length - 1);
    return sorted[low] * (1 - (rank - low)) + sorted[high] * (rank - low);
  }

  private static List<Map<String, String>> with(
      List<Map<String, String>> rows, String column, String value) {
    return rows.stream().filter(row -> row.get(column).equals(value)).toList();
  }

  private static double[] values(List<Map<String, String>> rows, String column) {
    return rows.stream()
        .map(row -> row.get(column))
        .filter(cell -> !cell.isEmpty())
        .mapToDouble(Double::parseDouble)
        .sorted()
        .toArray();
  }

  private static long sum(List<Map<String, String>> rows, String column) {
    return rows.stream()
        .map(row -> row.get(column))
        .filter(cell -> !cell.isEmpty())
        .mapToLong(Long::parseLong)
        .sum();
  }
}
