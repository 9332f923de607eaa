package dev.headway.cli.plan;

import dev.headway.cli.plan.PlanReport.Row;
import dev.headway.simulation.plan.LatencyLimits;
import dev.headway.simulation.plan.RateRun;
import dev.headway.toolbox.text.Human;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;

/** A plan for a terminal: the answer, the best rows, and what it rests on. Stateless. */
final class PlanText {

  private static final int ROWS = 10;

  /** Columns that are there where their values differ. */
  private static final List<Part> PARTS =
      List.of(
          new Part("router", Configuration::router),
          new Part("seqs", each -> Integer.toString(each.maxNumSeqs())),
          new Part("tokens", each -> Integer.toString(each.maxNumBatchedTokens())),
          new Part("prefix", Configuration::caching));

  private record Part(String name, Function<Configuration, String> value) {}

  private PlanText() {}

  static String of(PlanReport report) {
    final Words words = new Words(report);
    final StringBuilder text = new StringBuilder("\n  " + words.verdict() + "\n");
    words.remarks().forEach(remark -> text.append("  ").append(remark).append('\n'));
    text.append('\n').append(table(report, words)).append('\n');
    line(text, "model", report.grid().modelText());
    line(text, "load", words.load());
    line(text, "limits", words.limits());
    line(text, "prices", report.prices().text(report.grid().gpus()));
    words.stepTimes().forEach(each -> line(text, "step times", each));
    line(text, "counts", words.counts());
    words.leftOut().forEach(each -> line(text, "left out", each));
    return text.toString();
  }

  private static void line(StringBuilder text, String name, String what) {
    text.append("  %-12s%s%n".formatted(name, what));
  }

  /**
   * The best: those that keep to the limits, then the frontier, what is nearest, and of those that
   * were only sampled the ones with the largest rates.
   */
  static List<Row> best(PlanReport report) {
    final List<Row> best = new ArrayList<>(report.meeting());
    report.frontier().stream().filter(row -> !best.contains(row)).forEach(best::add);
    report.nearest().stream().filter(row -> !best.contains(row)).forEach(best::add);
    report.rows().stream()
        .filter(row -> row.planned() != null && !best.contains(row))
        .sorted(Comparator.comparingDouble((Row row) -> -row.maxRate()))
        .forEach(best::add);
    return best.subList(0, Math.min(ROWS, best.size()));
  }

  private static String table(PlanReport report, Words words) {
    final List<Row> rows = best(report);
    if (rows.isEmpty()) {
      return "";
    }
    final List<List<String>> cells = new ArrayList<>();
    cells.add(header(report, words));
    rows.forEach(row -> cells.add(cells(report, words, row)));
    final int columns = cells.getFirst().size();
    final StringBuilder text = new StringBuilder();
    for (List<String> row : cells) {
      final StringBuilder line = new StringBuilder(" ");
      for (int i = 0; i < columns; i++) {
        final int column = i;
        final int width =
            cells.stream().mapToInt(each -> each.get(column).length()).max().orElse(1);
        line.append(" %-".concat(width + "s ").formatted(row.get(i)));
      }
      text.append(line.toString().stripTrailing()).append('\n');
    }
    return text.toString();
  }

  /** The columns of {@link #cells}. */
  static List<String> header(PlanReport report, Words words) {
    final List<String> header = new ArrayList<>(List.of("gpu", "devices", "TP", "instances"));
    varying(report).forEach(part -> header.add(part.name));
    header.addAll(
        List.of(
            "per hour",
            "requests/s at most",
            "per 1M output tokens",
            "limited by",
            "TTFT p" + words.percentile() + " at " + Words.rate(report.wanted()),
            "TPOT p" + words.percentile()));
    if (limitsE2e(report)) {
      header.add("E2E p" + words.percentile());
    }
    header.add("keeps");
    return header;
  }

  /** A row of a table. */
  static List<String> cells(PlanReport report, Words words, Row row) {
    final Configuration configuration = row.configuration();
    final List<String> cells =
        new ArrayList<>(
            List.of(
                configuration.gpu(),
                Integer.toString(configuration.devices()),
                Integer.toString(configuration.tensorParallelSize()),
                Integer.toString(configuration.instances())));
    varying(report).forEach(part -> cells.add(part.value.apply(configuration)));
    final RateRun run = row.atWanted();
    cells.add(Money.of(report.prices(), configuration.costPerHour()));
    cells.add(words.maxRate(row));
    cells.add(words.perMillion(row));
    cells.add(row.planned() == null ? "left out" : words.limit(row));
    cells.add(run == null ? "" : duration(run.ttftNs()));
    cells.add(run == null ? "" : duration(run.tpotNs()));
    if (limitsE2e(report)) {
      cells.add(run == null ? "" : duration(run.e2eNs()));
    }
    cells.add(run == null ? "" : report.meets(row) ? "yes" : "no");
    return cells;
  }

  private static boolean limitsE2e(PlanReport report) {
    return report.limits().e2eNs() != LatencyLimits.NONE;
  }

  private static List<Part> varying(PlanReport report) {
    return PARTS.stream()
        .filter(
            part ->
                report.rows().stream()
                        .map(row -> part.value.apply(row.configuration()))
                        .distinct()
                        .count()
                    > 1)
        .toList();
  }

  private static String duration(double ns) {
    return Double.isNaN(ns) ? Human.UNKNOWN : Human.plainDuration(Math.round(ns));
  }
}
