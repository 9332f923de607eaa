package dev.headway.cli.plan;

import dev.headway.cli.plan.PlanReport.Row;
import dev.headway.simulation.plan.LatencyLimit;
import dev.headway.simulation.plan.LatencyLimits;
import dev.headway.simulation.plan.PlannedMachine.RateInterval;
import dev.headway.simulation.plan.RateRun;
import dev.headway.toolbox.chart.Axis;
import dev.headway.toolbox.chart.Plot;
import dev.headway.toolbox.html.Markup;
import dev.headway.toolbox.html.Section;
import dev.headway.toolbox.html.StaticPage;
import dev.headway.toolbox.text.Human;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** A plan as a page: cost against rate and latency, and all configurations. */
final class PlanPage {

  private static final String[] STYLES = {
    "p-prefill", "w1", "w4", "w2", "w5", "p-decode", "w6", "w3", "p-kv", "w0"
  };
  private static final double SQUARE = 0.006;
  private static final double FARTHEST = 6;
  private static final int WIDE = 1_100;
  private static final int HIGH = 420;

  private final Markup out;
  private final PlanReport report;
  private final Words words;

  private PlanPage(Markup out, PlanReport report) {
    this.out = out;
    this.report = report;
    this.words = new Words(report);
  }

  static String render(PlanReport report) {
    final Words words = new Words(report);
    final Map<String, String> sections = new LinkedHashMap<>();
    sections.put("verdict", "Verdict");
    sections.put("frontier", "Cost and rate");
    sections.put("latency", "Cost and latency");
    sections.put("configurations", "Configurations");
    sections.put("basis", "What it rests on");
    return StaticPage.render(
        "Plan for " + report.grid().modelText(),
        words.load() + " · " + words.limits(),
        sections,
        out -> new PlanPage(out, report).write());
  }

  private void write() {
    out.line().open("section", "id", "verdict", "class", "verdict").element("h2", "Verdict");
    final String verdict = words.verdict();
    out.element(
        "p",
        Character.toUpperCase(verdict.charAt(0)) + verdict.substring(1) + ".",
        "class",
        "sentence");
    words.remarks().forEach(remark -> Section.note(out, remark));
    Section.table(
        out,
        PlanText.header(report, words),
        PlanText.best(report).stream().map(row -> PlanText.cells(report, words, row)).toList());
    out.close("section");
    writeFrontier();
    writeLatencies();
    writeConfigurations();
    writeBasis();
  }

  private String style(String gpu) {
    return STYLES[report.grid().gpus().indexOf(gpu) % STYLES.length];
  }

  private void legend() {
    final List<String> gpus = report.grid().gpus();
    Section.legend(out, gpus, gpus.stream().map(this::style).toList());
  }

  private String costUnit() {
    return report.prices().areKnown() ? "$" : "device-hours";
  }

  /**
   * Those with a rate that is not far beyond the wanted one, which would press all others together.
   */
  private List<Row> shown() {
    return report.rows().stream()
        .filter(row -> row.maxRate() > 0 && row.maxRate() <= FARTHEST * report.wanted())
        .toList();
  }

  private String beyond() {
    final long more =
        report.rows().stream().filter(row -> row.maxRate() > FARTHEST * report.wanted()).count();
    return more == 0
        ? ""
        : " "
            + more
            + " configurations with more than "
            + Words.rate(FARTHEST * report.wanted())
            + " requests/s are in the table below only.";
  }

  private void writeFrontier() {
    Section.open(out, "frontier", "Cost and rate");
    if (shown().isEmpty()) {
      Section.note(out, "No configuration keeps to the limits at any rate.");
      Section.close(out);
      return;
    }
    legend();
    Section.openFigure(
        out,
        "Cost of an hour by the largest rate within the limits",
        "Large squares: simulated in full; small ones: from a sample of one instance. The stair is the"
            + " frontier, the vertical line the wanted rate"
            + (hasIntervals() ? "; bars are intervals of the step model." : ".")
            + beyond(),
        "widebox");
    final double most =
        Math.max(report.wanted(), shown().stream().mapToDouble(PlanPage::most).max().orElse(1));
    final double dearest =
        shown().stream().mapToDouble(row -> row.configuration().costPerHour()).max().orElse(1);
    final Axis x = Axis.fromZero("requests/s within the limits", most * 1.02, 8, Human::number);
    final Axis y = Axis.fromZero(costUnit() + " per hour", dearest * 1.05, 6, Human::number);
    final Plot plot = new Plot(out, WIDE, HIGH, x, y).labelRows(1);
    plot.open("Cost per hour by the largest rate, a mark for each configuration.");
    writeFrontierLine(plot);
    for (String gpu : report.grid().gpus()) {
      writeMarks(plot, gpu, x, y);
    }
    plot.limit(report.wanted(), Words.rate(report.wanted()) + " requests/s", 0);
    report
        .cheapest()
        .ifPresent(
            row ->
                plot.reference(row.configuration().costPerHour(), row.configuration().machine()));
    plot.close();
    Section.closeFigure(
        out,
        List.of("on the frontier", "requests/s at most", "per hour", "per million output tokens"),
        report.frontier().stream()
            .map(
                row ->
                    List.of(
                        row.configuration().text(),
                        words.maxRate(row),
                        Money.of(report.prices(), row.configuration().costPerHour()),
                        words.perMillion(row)))
            .toList());
    Section.close(out);
  }

  private boolean hasIntervals() {
    return report.full().stream()
        .anyMatch(row -> row.planned() != null && row.planned().interval() != null);
  }

  private static double most(Row row) {
    final RateInterval interval = row.planned() == null ? null : row.planned().interval();
    return interval == null ? row.maxRate() : Math.max(row.maxRate(), interval.fastRate());
  }

  /** What a rate costs at least: up at a rate that only a dearer one has. */
  private void writeFrontierLine(Plot plot) {
    final List<Row> frontier = report.frontier();
    final List<double[]> points = new ArrayList<>();
    double from = 0;
    for (Row row : frontier) {
      if (!shown().contains(row)) {
        continue;
      }
      final double cost = row.configuration().costPerHour();
      points.add(new double[] {from, cost});
      points.add(new double[] {row.maxRate(), cost});
      from = row.maxRate();
    }
    plot.line(
        points.stream().mapToDouble(point -> point[0]).toArray(),
        points.stream().mapToDouble(point -> point[1]).toArray(),
        "line ref");
  }

  private void writeMarks(Plot plot, String gpu, Axis x, Axis y) {
    final List<Row> own =
        shown().stream().filter(row -> row.configuration().gpu().equals(gpu)).toList();
    for (Row row : own) {
      final RateInterval interval = row.planned() == null ? null : row.planned().interval();
      final double cost = row.configuration().costPerHour();
      if (interval != null) {
        plot.line(
            new double[] {interval.slowRate(), interval.fastRate()},
            new double[] {cost, cost},
            "line " + style(gpu));
      }
      final double size = row.isFull() ? SQUARE : SQUARE / 2;
      final double halfX = size * x.high() / 2;
      final double halfY = size * y.high() / 2 * WIDE / HIGH;
      plot.bar(
          row.maxRate() - halfX, row.maxRate() + halfX, cost - halfY, cost + halfY, style(gpu));
    }
  }

  private void writeLatencies() {
    final List<Row> run = report.full().stream().filter(row -> row.atWanted() != null).toList();
    Section.open(out, "latency", "Cost and latency");
    Section.note(
        out,
        "At "
            + Words.rate(report.wanted())
            + " requests/s, of the configurations that were simulated in full.");
    legend();
    out.open("div", "class", "pair");
    writeLatency(run, LatencyLimit.TTFT, words.most(LatencyLimit.TTFT));
    writeLatency(run, LatencyLimit.TPOT, words.most(LatencyLimit.TPOT));
    writeLatency(run, LatencyLimit.E2E, words.most(LatencyLimit.E2E));
    out.close("div");
    Section.close(out);
  }

  private void writeLatency(List<Row> rows, LatencyLimit limit, double mostNs) {
    final List<Row> own = rows.stream().filter(row -> ns(row, limit) > 0).toList();
    if (own.isEmpty()) {
      return;
    }
    final boolean isLimited = mostNs < LatencyLimits.NONE;
    Section.openFigure(
        out,
        Words.name(limit) + " p" + words.percentile(),
        isLimited ? "The line is the limit." : "No limit was given.",
        "halfbox");
    final ToDoubleFunction<Row> value = row -> ns(row, limit);
    final double low = own.stream().mapToDouble(value).min().orElse(1);
    final double high = own.stream().mapToDouble(value).max().orElse(1);
    final double dearest =
        own.stream().mapToDouble(row -> row.configuration().costPerHour()).max().orElse(1);
    final Axis x = Axis.fromZero(costUnit() + " per hour", dearest * 1.05, 5, Human::number);
    final Axis y =
        Axis.logTime(
            Words.name(limit),
            (isLimited ? Math.min(low, mostNs) : low) / 1.3,
            (isLimited ? Math.max(high, mostNs) : high) * 1.3);
    final Plot plot = new Plot(out, 540, 300, x, y);
    plot.open(Words.name(limit) + " by cost per hour, a mark for each configuration.");
    if (isLimited) {
      plot.reference(mostNs, "limit");
    }
    for (String gpu : report.grid().gpus()) {
      final List<Row> of =
          own.stream().filter(row -> row.configuration().gpu().equals(gpu)).toList();
      for (Row row : of) {
        final double cost = row.configuration().costPerHour();
        final double half = SQUARE * x.high();
        final double ns = value.applyAsDouble(row);
        final double tall = Math.pow(y.high() / y.low(), SQUARE * 540 / 300);
        plot.bar(cost - half, cost + half, ns / tall, ns * tall, style(gpu));
      }
    }
    plot.close();
    Section.closeFigure(
        out,
        List.of("configuration", "per hour", Words.name(limit)),
        own.stream()
            .sorted(Comparator.comparingDouble(value))
            .map(
                row ->
                    List.of(
                        row.configuration().text(),
                        Money.of(report.prices(), row.configuration().costPerHour()),
                        Human.duration(Math.round(value.applyAsDouble(row)))))
            .toList());
  }

  private static double ns(Row row, LatencyLimit limit) {
    final RateRun run = row.atWanted();
    return run == null ? 0 : Words.value(limit, run);
  }

  private void writeConfigurations() {
    Section.open(out, "configurations", "Configurations");
    Section.note(out, words.counts() + ".");
    Section.table(
        out,
        PlanText.header(report, words),
        report.rows().stream()
            .sorted(
                Comparator.comparingDouble((Row row) -> row.configuration().costPerHour())
                    .thenComparingDouble(row -> -row.maxRate())
                    .thenComparingInt(row -> row.configuration().number()))
            .map(row -> PlanText.cells(report, words, row))
            .toList());
    Section.close(out);
  }

  private void writeBasis() {
    Section.open(out, "basis", "What it rests on");
    Section.note(out, "Prices: " + report.prices().text(report.grid().gpus()) + ".");
    words.stepTimes().forEach(each -> Section.note(out, "Step times: " + each + "."));
    words.leftOut().forEach(each -> Section.note(out, "Left out: " + each + "."));
    Section.note(
        out,
        "In brackets behind a limit is what was full then: the KV cache, or the seats, which are"
            + " --max-num-seqs. The largest rate is the largest one tried at which the whole load keeps to each limit; the"
            + " next one that was tried, 5 % above it at most, does not.");
    Section.close(out);
  }
}
