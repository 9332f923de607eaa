package dev.headway.cli.simulate;

import dev.headway.simulation.compare.FleetMetric;
import dev.headway.toolbox.chart.Axis;
import dev.headway.toolbox.chart.Plot;
import dev.headway.toolbox.html.Markup;
import dev.headway.toolbox.html.Section;
import dev.headway.toolbox.html.StaticPage;
import dev.headway.toolbox.text.Human;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A study of routers as a page: a section for each load and pattern, a plot for each figure. */
final class RouteStudyPage {

  private static final String[] STYLES = {
    "p-prefill", "w1", "w4", "w2", "w0", "w5", "p-decode", "w6", "w3", "p-kv", "p-recompute"
  };
  private static final List<FleetMetric> PLOTTED =
      List.of(
          FleetMetric.TTFT_P50,
          FleetMetric.TTFT_P99,
          FleetMetric.HIT_SHARE,
          FleetMetric.IMBALANCE,
          FleetMetric.REGRET_MEAN,
          FleetMetric.E2E_P99);

  private final Markup out;
  private final RouteStudy study;

  private RouteStudyPage(Markup out, RouteStudy study) {
    this.out = out;
    this.study = study;
  }

  static String render(RouteStudy study) {
    final Map<String, String> sections = new LinkedHashMap<>();
    forEachSection(study, (id, load, arrival) -> sections.put(id, titleOf(load, arrival)));
    return StaticPage.render(
        "Routers compared",
        study.setting(),
        sections,
        out -> new RouteStudyPage(out, study).write());
  }

  /** Takes each load with each pattern. */
  private interface EachSection {
    void take(String id, String load, String arrival);
  }

  private static void forEachSection(RouteStudy study, EachSection each) {
    int next = 0;
    for (String load : study.loads()) {
      for (String arrival : study.arrivals()) {
        if (!study.of(load, arrival).isEmpty()) {
          each.take("s" + next++, load, arrival);
        }
      }
    }
  }

  private static String titleOf(String load, String arrival) {
    return load + ", arrivals " + arrival;
  }

  private void write() {
    forEachSection(
        study,
        (id, load, arrival) -> {
          Section.open(out, id, titleOf(load, arrival));
          final List<String> styles = new ArrayList<>();
          for (int i = 0; i < study.routers().size(); i++) {
            styles.add(STYLES[i % STYLES.length]);
          }
          Section.legend(out, study.routers(), styles);
          out.open("div", "class", "pair");
          for (FleetMetric metric : PLOTTED) {
            writeFigure(metric, study.of(load, arrival));
          }
          out.close("div");
          Section.close(out);
        });
  }

  private void writeFigure(FleetMetric metric, List<RouteStudy.Point> points) {
    Section.openFigure(
        out, metric.label(), metric.description() + " Bars: 95 % of a bootstrap.", "halfbox");
    double high = 0;
    double fastest = 0;
    for (RouteStudy.Point point : points) {
      final double value = point.figure(metric).value();
      high = Double.isNaN(value) ? high : Math.max(high, value);
      fastest = Math.max(fastest, point.rateScale());
    }
    final Axis x = Axis.fromZero("requests, times the load's rate", fastest, 5, Human::number);
    final Plot plot =
        new Plot(
            out, 540, 300, x, Axis.fromZero(metric.label(), high, 5, value -> mark(metric, value)));
    plot.open(metric.label() + " by rate, a line for each router.");
    for (int i = 0; i < study.routers().size(); i++) {
      writeLine(plot, metric, points, study.routers().get(i), STYLES[i % STYLES.length]);
    }
    plot.close();
    Section.closeFigure(out, header(points), rows(metric, points));
  }

  private static void writeLine(
      Plot plot, FleetMetric metric, List<RouteStudy.Point> points, String router, String style) {
    final List<RouteStudy.Point> own =
        points.stream().filter(point -> point.router().equals(router)).toList();
    final double[] xs = own.stream().mapToDouble(RouteStudy.Point::rateScale).toArray();
    final double[] ys = own.stream().mapToDouble(point -> point.figure(metric).value()).toArray();
    plot.line(xs, ys, "line " + style);
    for (RouteStudy.Point point : own) {
      final double[] both = {point.rateScale(), point.rateScale()};
      final double[] ends = {point.figure(metric).low(), point.figure(metric).high()};
      plot.line(both, ends, "line " + style);
    }
  }

  private static String mark(FleetMetric metric, double value) {
    return switch (metric.unit()) {
      case "ns" -> Human.mark(value);
      case "share" -> String.format(Locale.ROOT, "%.0f %%", 100 * value);
      default -> String.format(Locale.ROOT, "%.1f", value);
    };
  }

  private static List<String> header(List<RouteStudy.Point> points) {
    final List<String> header = new ArrayList<>(List.of("router"));
    points.stream()
        .mapToDouble(RouteStudy.Point::rateScale)
        .distinct()
        .forEach(rate -> header.add("rate × " + Human.number(rate)));
    return header;
  }

  private List<List<String>> rows(FleetMetric metric, List<RouteStudy.Point> points) {
    final List<List<String>> rows = new ArrayList<>();
    for (String router : study.routers()) {
      final List<String> row = new ArrayList<>(List.of(router));
      points.stream()
          .filter(point -> point.router().equals(router))
          .forEach(point -> row.add(FleetText.value(metric, point.figure(metric).value())));
      rows.add(row);
    }
    return rows;
  }
}
