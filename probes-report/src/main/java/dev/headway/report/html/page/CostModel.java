package dev.headway.report.html.page;

import dev.headway.report.html.figures.ReportFigures;
import dev.headway.toolbox.chart.Axis;
import dev.headway.toolbox.chart.Plot;
import dev.headway.toolbox.html.Markup;
import dev.headway.toolbox.html.Section;
import dev.headway.toolbox.stats.LinearFit;
import dev.headway.toolbox.stats.Quantile;
import dev.headway.toolbox.text.Human;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;

/** What a step costs: a linear model of the model run, and how well it holds. */
final class CostModel {

  private static final int FEATURES = 3;
  private static final int FEWEST_STEPS = 20;
  private static final double FITTED = 0.8;

  private final Markup out;
  private final double[][] rows;
  private final double[][] before;
  private final double[][] after;
  private final boolean whole;
  private final long seen;

  CostModel(Markup out, ReportFigures run) {
    this.out = out;
    this.rows = run.steps().computed().sample().rows();
    this.whole = run.steps().computed().sample().isWhole();
    this.seen = run.steps().computed().sample().seen();
    final int split = (int) (FITTED * rows.length);
    this.before = Arrays.copyOfRange(rows, 0, split);
    this.after = Arrays.copyOfRange(rows, split, rows.length);
  }

  void write() {
    Section.open(out, "cost", "Cost of a step");
    if (rows.length < FEWEST_STEPS) {
      Section.note(
          out, "A fit needs " + FEWEST_STEPS + " steps that were executed: " + rows.length + ".");
      Section.close(out);
      return;
    }
    final LinearFit fit = LinearFit.of(before, FEATURES);
    Section.note(
        out,
        "model run = fixed + prefill tokens · a + decode requests · b + context tokens · c, by least"
            + " squares over the first 80 % of "
            + (whole ? "the " : "")
            + Human.count(rows.length)
            + " steps"
            + (whole ? "" : " drawn uniformly from " + Human.count(seen))
            + "; the last 20 %, in order of time, only test it.");
    out.open("div", "class", "pair").open("div");
    out.element("h3", "Coefficients");
    Section.table(
        out,
        List.of("", "fitted"),
        List.of(
            List.of("fixed", Human.duration(fit.coefficient(0))),
            List.of("a, per prefill token", Human.duration(fit.coefficient(1))),
            List.of("b, per decode request", Human.duration(fit.coefficient(2))),
            List.of("c, per context token read", Human.duration(fit.coefficient(3)))));
    out.element("h3", "How well it holds");
    Section.table(
        out,
        List.of("", "steps", "R²", "mean error", "p95 of the error's size"),
        List.of(
            quality("fitted (first 80 %)", fit, before, row -> true),
            quality("held out (last 20 %)", fit, after, row -> true),
            quality("all with prefill", fit, rows, row -> row[1] > 0),
            quality("all decode only", fit, rows, row -> row[1] == 0)));
    out.close("div");
    writePlot(fit);
    out.close("div");
    Section.close(out);
  }

  private static List<String> quality(
      String name, LinearFit fit, double[][] all, Predicate<double[]> wanted) {
    final double[][] chosen = Arrays.stream(all).filter(wanted).toArray(double[][]::new);
    if (chosen.length == 0) {
      return List.of(name, "0", Human.UNKNOWN, Human.UNKNOWN, Human.UNKNOWN);
    }
    final double[] errors =
        Arrays.stream(chosen).mapToDouble(row -> row[0] - fit.predict(row)).toArray();
    final double[] sizes = Arrays.stream(errors).map(Math::abs).sorted().toArray();
    final double r2 = fit.rSquared(chosen);
    return List.of(
        name,
        Human.count(chosen.length),
        Double.isNaN(r2) ? Human.UNKNOWN : digits(r2),
        Human.duration(Math.rint(Arrays.stream(errors).average().orElse(0))),
        Human.duration(Math.rint(Quantile.of(sizes, 0.95))));
  }

  private static String digits(double r2) {
    return String.format(Locale.ROOT, "%.4f", r2).replace("-", "−");
  }

  private void writePlot(LinearFit fit) {
    Section.openFigure(
        out, "Observed against fitted", "On the line: as fitted. Darker: more steps.", "halfbox");
    final double high =
        Arrays.stream(rows).mapToDouble(row -> Math.max(row[0], fit.predict(row))).max().orElse(1);
    final Axis x = Axis.fromZero("fitted", high, 4, Human::mark);
    final Plot plot = new Plot(out, 540, 300, x, Axis.fromZero("observed", high, 5, Human::mark));
    plot.open("Observed model run time of steps against the fitted one.");
    final double[] ends = {0, high};
    plot.line(ends, ends, "line ref");
    plot.density(
        Arrays.stream(rows).mapToDouble(row -> Math.max(0, fit.predict(row))).toArray(),
        Arrays.stream(rows).mapToDouble(row -> row[0]).toArray(),
        5,
        0.2);
    plot.close();
    Section.closeFigure(
        out,
        List.of("", "observed", "fitted"),
        List.of(
            List.of(
                "mean",
                Human.duration(Arrays.stream(rows).mapToDouble(row -> row[0]).average().orElse(0)),
                Human.duration(
                    Arrays.stream(rows).mapToDouble(fit::predict).average().orElse(0)))));
  }
}
