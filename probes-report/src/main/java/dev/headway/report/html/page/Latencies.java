package dev.headway.report.html.page;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.report.html.figures.LatencyFigures;
import dev.headway.report.html.figures.ReportFigures;
import dev.headway.report.html.figures.Slo;
import dev.headway.toolbox.chart.Axis;
import dev.headway.toolbox.chart.Plot;
import dev.headway.toolbox.html.Markup;
import dev.headway.toolbox.html.Section;
import dev.headway.toolbox.stats.Distribution;
import dev.headway.toolbox.text.Human;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** How long requests took: cumulative distributions, and groups. */
final class Latencies {

  private static final int POINTS = 200;
  private static final long NO_SLO = ABSENT;
  private static final double[] TABLE_QUANTILES = {
    0, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 1
  };

  private final Markup out;

  Latencies(Markup out) {
    this.out = out;
  }

  void write(ReportFigures run) {
    final LatencyFigures times = run.latencies();
    Section.open(out, "latency", "Latency");
    Section.note(
        out,
        "Cumulative shares, seen from the engine. Time is logarithmic."
            + (times.all().ttft().isExact() && times.tokenGap().isExact()
                ? ""
                : " Distributions of more than 32,768 values are kept to 0.1 %."));
    out.open("div", "class", "pair");
    final Slo slo = run.goodput().slo();
    final long ttftNs = run.goodput().commonTtftNs();
    writeCdf("Time to first token (TTFT)", "From arrival.", times.all().ttft(), null, ttftNs);
    writeCdf(
        "Time per output token (TPOT)", "After the first.", times.all().tpot(), null, slo.tpotNs());
    writeCdf("Time between tokens (ITL)", "Every single one.", times.tokenGap(), null, NO_SLO);
    writeCdf("End to end (E2E)", "From arrival.", times.all().endToEnd(), null, slo.endToEndNs());
    out.close("div");
    writeGroups("By tenant", "tenant", times.byTenant());
    writeGroups("By priority", "priority", times.byPriority());
    writeGroups("By length of the prompt", "prompt tokens", times.byPrompt());
    Section.close(out);
  }

  /** One distribution, or two to compare, and the limit for them if there is one. */
  void writeCdf(
      String title, String caption, Distribution a, @Nullable Distribution b, long sloNs) {
    if (a.isEmpty() && (b == null || b.isEmpty())) {
      return;
    }
    Section.openFigure(out, title, caption, "halfbox");
    if (b != null) {
      Section.legend(out, List.of("this run", "compared run"), List.of("p-prefill", "w1"));
    }
    final boolean limited = sloNs != NO_SLO;
    final double least = b == null ? a.min() : Math.min(a.min(), b.min());
    final double most = b == null ? a.max() : Math.max(a.max(), b.max());
    final double low = limited ? Math.min(least, (double) sloNs) : least;
    final double high = limited ? Math.max(most, (double) sloNs) : most;
    final Plot plot =
        new Plot(
            out,
            540,
            240,
            Axis.logTime("", Math.max(low, high / 1e6), high),
            Axis.linear("share of all", 0, 1, 5, share -> Math.round(100 * share) + " %"));
    plot.labelRows((b == null ? 2 : 0) + (limited ? 1 : 0));
    plot.open(title + ", cumulative distribution. The table below has the quantiles.");
    draw(plot, a, "line p-prefill");
    if (b != null) {
      draw(plot, b, "line w1");
    } else {
      plot.mark(a.quantile(0.5), "p50 " + Human.duration(a.quantile(0.5)), 0);
      plot.mark(a.quantile(0.99), "p99 " + Human.duration(a.quantile(0.99)), 1);
    }
    if (limited) {
      plot.limit(
          (double) sloNs,
          "SLO " + Human.mark((double) sloNs) + ", " + withinText(a, b, sloNs),
          b == null ? 2 : 0);
    }
    plot.close();
    Section.closeFigure(
        out,
        b == null
            ? List.of("share of all", "at most")
            : List.of("share of all", "this run: at most", "compared run: at most"),
        rows(a, b, sloNs));
  }

  private static List<List<String>> rows(Distribution a, @Nullable Distribution b, long sloNs) {
    final List<List<String>> rows = new ArrayList<>();
    if (sloNs != NO_SLO) {
      rows.add(
          b == null
              ? List.of(Human.percent(a.shareAtMost((double) sloNs)), sloText(sloNs))
              : List.of(
                  "SLO " + Human.duration((double) sloNs), within(a, sloNs), within(b, sloNs)));
    }
    for (double quantile : TABLE_QUANTILES) {
      final List<String> row = new ArrayList<>();
      row.add(Human.percent(quantile));
      row.add(Human.duration(a.quantile(quantile)));
      if (b != null) {
        row.add(Human.duration(b.quantile(quantile)));
      }
      rows.add(row);
    }
    return rows;
  }

  private static String sloText(long sloNs) {
    return Human.duration((double) sloNs) + " (SLO)";
  }

  private static String within(Distribution distribution, long sloNs) {
    return Human.percent(distribution.shareAtMost((double) sloNs)) + " within";
  }

  private static String withinText(Distribution a, @Nullable Distribution b, long sloNs) {
    return b == null
        ? within(a, sloNs)
        : Human.percent(a.shareAtMost((double) sloNs)) + " / " + within(b, sloNs);
  }

  private static void draw(Plot plot, Distribution distribution, String style) {
    if (distribution.isEmpty()) {
      return;
    }
    final int points = (int) Math.min(POINTS, distribution.count());
    final double[] xs = new double[points + 1];
    final double[] ys = new double[points + 1];
    for (int i = 0; i <= points; i++) {
      ys[i] = (double) i / points;
      xs[i] = distribution.quantile(ys[i]);
    }
    plot.line(xs, ys, style);
  }

  private void writeGroups(String title, String name, Map<String, LatencyFigures.Times> groups) {
    final List<List<String>> rows = new ArrayList<>();
    groups.forEach(
        (group, times) -> {
          if (!times.endToEnd().isEmpty() || !times.ttft().isEmpty()) {
            rows.add(
                List.of(
                    group,
                    Human.count(Math.max(times.endToEnd().count(), times.ttft().count())),
                    quantile(times.ttft(), 0.5),
                    quantile(times.ttft(), 0.99),
                    quantile(times.tpot(), 0.5),
                    quantile(times.tpot(), 0.99),
                    quantile(times.endToEnd(), 0.5),
                    quantile(times.endToEnd(), 0.99)));
          }
        });
    if (rows.size() < 2) {
      return;
    }
    out.element("h3", title);
    Section.table(
        out,
        List.of(
            name, "requests", "TTFT p50", "TTFT p99", "TPOT p50", "TPOT p99", "E2E p50", "E2E p99"),
        rows);
  }

  private static String quantile(Distribution distribution, double quantile) {
    return Human.duration(distribution.quantile(quantile));
  }
}
