package dev.headway.cli.learn;

import dev.headway.simulation.calibrate.Calibration;
import dev.headway.simulation.calibrate.LatencyComparison;
import dev.headway.simulation.calibrate.LatencyMetric;
import dev.headway.simulation.calibrate.TimedRequests;
import dev.headway.toolbox.chart.Axis;
import dev.headway.toolbox.chart.Plot;
import dev.headway.toolbox.html.Markup;
import dev.headway.toolbox.html.Section;
import dev.headway.toolbox.html.StaticPage;
import dev.headway.toolbox.stats.SortedSample;
import dev.headway.toolbox.text.Human;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A calibration as a page: both distributions, every request, the queue over time. */
final class CalibrationPage {

  private static final String MEASURED = "p-prefill";
  private static final String SIMULATED = "w1";
  private static final int MOST_POINTS = 2_000;
  private static final double[] SHARES = {0.5, 0.9, 0.95, 0.99};

  private final Markup out;
  private final Calibration calibration;

  private CalibrationPage(Markup out, Calibration calibration) {
    this.out = out;
    this.calibration = calibration;
  }

  static String render(Calibration calibration, String runs) {
    final Map<String, String> sections = new LinkedHashMap<>();
    sections.put("verdict", "Verdict");
    sections.put("distributions", "Distributions");
    sections.put("requests", "Each request");
    sections.put("queue", "Queue");
    sections.put("numbers", "Numbers");
    return StaticPage.render(
        "Simulated against measured",
        runs + " · " + CalibrationText.matched(calibration),
        sections,
        out -> new CalibrationPage(out, calibration).write());
  }

  private void write() {
    out.line().open("section", "id", "verdict", "class", "verdict").element("h2", "Verdict");
    out.element(
        "p",
        "Simulated means: time to first token "
            + percent(calibration.metric(LatencyMetric.TTFT).bias())
            + ", time per output token "
            + percent(calibration.metric(LatencyMetric.TPOT).bias())
            + ", end to end "
            + percent(calibration.metric(LatencyMetric.E2E).bias())
            + ".",
        "class",
        "sentence");
    CalibrationText.findings(calibration).forEach(finding -> Section.note(out, finding));
    out.close("section");
    Section.open(out, "distributions", "Distributions");
    legend();
    out.open("div", "class", "pair");
    for (LatencyMetric metric : LatencyMetric.values()) {
      writeDistribution(calibration.metric(metric));
    }
    out.close("div");
    Section.close(out);
    Section.open(out, "requests", "Each request");
    out.open("div", "class", "pair");
    for (LatencyMetric metric : LatencyMetric.values()) {
      writeRequests(metric);
    }
    out.close("div");
    Section.close(out);
    writeQueue();
    writeNumbers();
  }

  private void legend() {
    Section.legend(out, List.of("measured", "simulated"), List.of(MEASURED, SIMULATED));
  }

  private void writeDistribution(LatencyComparison comparison) {
    final String title = comparison.metric().title();
    Section.openFigure(out, title, "Share of the requests that took no longer.", "halfbox");
    final double high =
        comparison.requests() == 0
            ? 0
            : Math.max(comparison.measured().max(), comparison.simulated().max());
    final Axis x = Axis.fromZero(title, Math.max(1, high), 5, Human::mark);
    final Plot plot =
        new Plot(out, 540, 300, x, Axis.linear("share", 0, 1, 5, CalibrationPage::share));
    plot.open("Cumulative distributions of the " + title + ", measured and simulated.");
    writeCdf(plot, comparison.measured(), "line " + MEASURED);
    writeCdf(plot, comparison.simulated(), "line " + SIMULATED);
    plot.close();
    Section.closeFigure(out, List.of("", "measured", "simulated", "error"), rows(comparison));
  }

  private static void writeCdf(Plot plot, SortedSample sample, String style) {
    final int points = Math.min(200, sample.count());
    final double[] xs = new double[points];
    final double[] ys = new double[points];
    for (int i = 0; i < points; i++) {
      final double share = points == 1 ? 1 : (double) i / (points - 1);
      xs[i] = sample.quantile(share);
      ys[i] = share;
    }
    plot.line(xs, ys, style);
  }

  private static List<List<String>> rows(LatencyComparison comparison) {
    final List<List<String>> rows = new ArrayList<>();
    rows.add(row("mean", comparison.measured().mean(), comparison.simulated().mean()));
    for (double share : SHARES) {
      rows.add(
          row(
              "p" + Math.round(100 * share),
              comparison.measured().quantile(share),
              comparison.simulated().quantile(share)));
    }
    return rows;
  }

  private static List<String> row(String name, double measured, double simulated) {
    return List.of(
        name,
        Human.duration(Math.rint(measured)),
        Human.duration(Math.rint(simulated)),
        percent(simulated / measured - 1));
  }

  private void writeRequests(LatencyMetric metric) {
    final LatencyComparison comparison = calibration.metric(metric);
    Section.openFigure(out, metric.title(), "On the line: as measured.", "halfbox");
    final int stride = Math.max(1, calibration.pairs().size() / MOST_POINTS);
    final List<double[]> points = new ArrayList<>();
    double high = 1;
    for (int i = 0; i < calibration.pairs().size(); i += stride) {
      final Calibration.Pair pair = calibration.pairs().get(i);
      final double[] point = {metric.ns(pair.simulated()), metric.ns(pair.measured())};
      if (point[0] >= 0 && point[1] >= 0) {
        points.add(point);
        high = Math.max(high, Math.max(point[0], point[1]));
      }
    }
    final Axis x = Axis.fromZero("simulated", high, 4, Human::mark);
    final Plot plot = new Plot(out, 540, 300, x, Axis.fromZero("measured", high, 5, Human::mark));
    plot.open("Measured against simulated " + metric.title() + ", a dot per request.");
    final double[] ends = {0, high};
    plot.line(ends, ends, "line ref");
    plot.dots(
        points.stream().mapToDouble(point -> point[0]).toArray(),
        points.stream().mapToDouble(point -> point[1]).toArray(),
        "dots " + MEASURED);
    plot.close();
    Section.closeFigure(
        out,
        List.of("", "value"),
        List.of(
            List.of("mean error of a request", share(comparison.meanError())),
            List.of("Pearson", fixed(comparison.pearson())),
            List.of("Spearman", fixed(comparison.spearman()))));
  }

  private void writeQueue() {
    Section.open(out, "queue", "Queue");
    legend();
    Section.openFigure(
        out, "Requests without a first token", "Mean over equal spans of time.", "widebox");
    final double[] measured = calibration.queue(calibration.measured());
    final double[] simulated = calibration.queue(calibration.simulated());
    final double[] xs = new double[measured.length];
    double high = 1;
    for (int i = 0; i < xs.length; i++) {
      xs[i] = (double) i * calibration.spanNs();
      high = Math.max(high, Math.max(measured[i], simulated[i]));
    }
    final Axis x = Axis.time("time since the first arrival", 0, xs[xs.length - 1], 8);
    final Plot plot =
        new Plot(
            out, 1_100, 280, x, Axis.fromZero("requests", high, 4, value -> Human.number(value)));
    plot.open("Requests that waited for their first token, measured and simulated.");
    plot.stair(xs, measured, "line " + MEASURED);
    plot.stair(xs, simulated, "line " + SIMULATED);
    plot.close();
    Section.closeFigure(
        out,
        List.of("", "measured", "simulated"),
        List.of(List.of("mean", number(measured), number(simulated))));
    Section.close(out);
  }

  private static String number(double[] values) {
    return Human.number(Arrays.stream(values).average().orElse(0));
  }

  private void writeNumbers() {
    Section.open(out, "numbers", "Numbers");
    for (LatencyMetric metric : LatencyMetric.values()) {
      out.element("h3", metric.title());
      Section.table(
          out, List.of("", "measured", "simulated", "error"), rows(calibration.metric(metric)));
    }
    out.element("h3", "Runs");
    Section.table(
        out,
        List.of("", "requests", "failed", "duration", "output tokens/s"),
        List.of(
            run("measured", calibration.measured()), run("simulated", calibration.simulated())));
    Section.close(out);
  }

  private static List<String> run(String name, TimedRequests run) {
    return List.of(
        name,
        Human.count(run.requests().size()),
        Human.count(run.failed()),
        Human.duration(Calibration.durationNs(run)),
        Human.number(Calibration.outputTokensPerSecond(run)));
  }

  private static String share(double share) {
    return String.format(Locale.ROOT, "%.0f %%", 100 * share);
  }

  private static String percent(double share) {
    return String.format(Locale.ROOT, "%+.1f %%", 100 * share).replace("-", "−");
  }

  private static String fixed(double value) {
    return String.format(Locale.ROOT, "%.3f", value).replace("-", "−");
  }
}
