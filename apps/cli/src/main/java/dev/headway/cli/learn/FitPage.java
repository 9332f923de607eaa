package dev.headway.cli.learn;

import dev.headway.simulation.fit.FittedPart;
import dev.headway.simulation.fit.QueueingFit;
import dev.headway.simulation.fit.Regime;
import dev.headway.simulation.fit.RequestTimeFit;
import dev.headway.simulation.fit.StepPart;
import dev.headway.simulation.fit.StepTimeFit;
import dev.headway.simulation.fit.StepTimeQuality.Point;
import dev.headway.simulation.regression.Coefficient;
import dev.headway.simulation.regression.Coefficient.Status;
import dev.headway.simulation.regression.FitQuality;
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
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A fit as a page: predicted against measured, residuals, and coefficients in words. */
final class FitPage {

  private static final Map<Regime, String> COLORS =
      Map.of(Regime.DECODE, "p-decode", Regime.PREFILL, "w0", Regime.MIXED, "w4");
  private static final double[] SCALES = {0.02, 0.05, 0.1, 0.2, 0.5};

  private final Markup out;
  private final StepTimeFit fit;
  private final double mostError;

  private FitPage(Markup out, StepTimeFit fit) {
    this.out = out;
    this.fit = fit;
    this.mostError = scale(fit.held().all());
  }

  /** The least scale with room for nine in ten errors, twice. */
  private static double scale(FitQuality held) {
    for (double scale : SCALES) {
      if (2 * held.p90Error() <= scale) {
        return scale;
      }
    }
    return SCALES[SCALES.length - 1];
  }

  static String render(
      StepTimeFit fit, @Nullable QueueingFit queueing, @Nullable RequestTimeFit requests) {
    final Map<String, String> sections = new LinkedHashMap<>();
    sections.put("verdict", "Verdict");
    sections.put("plots", "Predicted and measured");
    sections.put("quality", "Errors");
    sections.put("coefficients", "Coefficients");
    if (queueing != null) {
      sections.put("queueing", "Queueing");
    }
    if (requests != null) {
      sections.put("requests", "Requests");
    }
    final String subtitle =
        fit.runs().stream()
            .map(
                run ->
                    run.steps().label()
                        + ": "
                        + run.pass().model()
                        + " on "
                        + run.pass().parallelism().devices()
                        + " × "
                        + run.gpu().name()
                        + ", "
                        + Human.count(run.steps().size())
                        + " steps")
            .collect(Collectors.joining(" · "));
    return StaticPage.render(
        "Step times learned",
        subtitle,
        sections,
        out -> {
          final FitPage page = new FitPage(out, fit);
          page.writeVerdict();
          page.writePlots();
          page.writeQuality();
          page.writeCoefficients();
          if (queueing != null) {
            RequestTermsSection.write(out, queueing);
          }
          if (requests != null) {
            RequestTermsSection.write(out, requests);
          }
        });
  }

  private void writeVerdict() {
    final FitQuality held = fit.held().all();
    out.line().open("section", "id", "verdict", "class", "verdict").element("h2", "Verdict");
    out.element(
        "p",
        String.format(
            Locale.ROOT,
            "Steps that were left out are predicted within %.1f %% on average (median %.1f %%, nine in ten within"
                + " %.1f %%), R² %.4f.",
            100 * held.meanError(),
            100 * held.medianError(),
            100 * held.p90Error(),
            held.r2()),
        "class",
        "sentence");
    Section.note(
        out,
        String.format(
            Locale.ROOT,
            "Fitted on %.0f %% of each kind of step, in blocks of time all over the run, and tested on"
                + " the rest. Predictions are %s by %.1f"
                + " %% on average.",
            100 * fit.share(),
            held.bias() > 0 ? "too long" : "too short",
            100 * Math.abs(held.bias())));
    final List<String> warnings = warnings(held);
    if (!warnings.isEmpty()) {
      out.open("ul", "class", "warnings");
      warnings.forEach(warning -> out.element("li", warning));
      out.close("ul");
    }
    out.close("section");
  }

  private List<String> warnings(FitQuality held) {
    final List<String> warnings = new ArrayList<>();
    if (held.meanError() > 2 * fit.trained().all().meanError() + 0.01) {
      warnings.add(
          "Steps that were left out are predicted much worse than those that were fitted: the load or the machine"
              + " changed, or the model has too many coefficients.");
    }
    if (fit.held().driftAt() > 0) {
      warnings.add(
          "Predictions drift: by held-out step "
              + Human.count(fit.held().driftAt())
              + " they were off in one direction for long enough.");
    }
    if (Math.abs(held.autocorrelation()) > 0.5) {
      warnings.add(
          "Errors of neighbouring steps are alike (autocorrelation "
              + String.format(Locale.ROOT, "%.2f", held.autocorrelation())
              + "): something that lasts longer than a step is not in the model.");
    }
    for (FittedPart part : fit.parts()) {
      if (part.conditionNumber() > 30) {
        warnings.add(
            String.format(
                Locale.ROOT,
                "The terms of %s can hardly be distinguished (condition number %.0f): predictions of"
                    + " such loads hold, single coefficients do not. A more varied load helps.",
                part.part().label(),
                part.conditionNumber()));
      }
      part.coefficients().stream()
          .filter(each -> each.status() == Status.AT_BOUND && each.feature().lowest() > 0)
          .forEach(
              each ->
                  warnings.add(
                      each.feature().name()
                          + " is at its bound: the recorded steps would have it faster than the"
                          + " device."));
    }
    return warnings;
  }

  private void writePlots() {
    Section.open(out, "plots", "Predicted and measured");
    final List<Point> points = fit.held().points();
    final List<Regime> regimes = List.copyOf(fit.held().byRegime().keySet());
    Section.legend(
        out,
        regimes.stream().map(Regime::label).toList(),
        regimes.stream().map(COLORS::get).toList());
    out.open("div", "class", "pair");
    writePredicted(points, regimes);
    writeResiduals(points, regimes);
    writeOverTime(points, regimes);
    writeHistogram(points);
    out.close("div");
    Section.close(out);
  }

  private void writePredicted(List<Point> points, List<Regime> regimes) {
    Section.openFigure(out, "Measured against predicted", "On the line: as predicted.", "halfbox");
    double low = Double.MAX_VALUE;
    double high = 1;
    for (Point point : points) {
      low = Math.min(low, Math.min(point.predictedNs(), point.measuredNs()));
      high = Math.max(high, Math.max(point.predictedNs(), point.measuredNs()));
    }
    low = Math.max(1, low);
    final Axis x = Axis.logTime("predicted", low, high);
    final Plot plot = new Plot(out, 540, 320, x, Axis.logTime("measured", low, high));
    plot.open("Measured step times against predicted ones, both logarithmic.");
    final double[] ends = {low, high};
    plot.line(ends, ends, "line ref");
    for (Regime regime : regimes) {
      plot.dots(
          values(points, regime, point -> Math.max(1, point.predictedNs())),
          values(points, regime, point -> Math.max(1, point.measuredNs())),
          "dots " + COLORS.get(regime));
    }
    plot.close();
    Section.closeFigure(out, List.of("", "steps"), pointCounts(regimes));
  }

  private void writeResiduals(List<Point> points, List<Regime> regimes) {
    Section.openFigure(
        out,
        "Relative error by predicted time",
        "Above 0: predicted too long. What is beyond the axis is drawn at its edge.",
        "halfbox");
    double high = 1;
    double low = Double.MAX_VALUE;
    for (Point point : points) {
      high = Math.max(high, point.predictedNs());
      low = Math.min(low, point.predictedNs());
    }
    final Axis x = Axis.logTime("predicted", Math.max(1, low), high);
    final Plot plot = new Plot(out, 540, 320, x, errorAxis());
    plot.open("Relative errors of predicted step times against the predicted time.");
    plot.reference(0, "");
    for (Regime regime : regimes) {
      plot.dots(
          values(points, regime, point -> Math.max(1, point.predictedNs())),
          values(points, regime, this::shownError),
          "dots " + COLORS.get(regime));
    }
    plot.close();
    Section.closeFigure(out, List.of("", "steps"), pointCounts(regimes));
  }

  private void writeOverTime(List<Point> points, List<Regime> regimes) {
    Section.openFigure(
        out, "Relative error over time", "A slope: the machine or the load drifts.", "halfbox");
    long first = Long.MAX_VALUE;
    long last = 0;
    for (Point point : points) {
      first = Math.min(first, point.beginNs());
      last = Math.max(last, point.beginNs());
    }
    final Axis x =
        Axis.time("begin of the step", (double) first, (double) Math.max(first + 1, last), 5);
    final Plot plot = new Plot(out, 540, 320, x, errorAxis());
    plot.open("Relative errors of predicted step times over the time of the run.");
    plot.reference(0, "");
    for (Regime regime : regimes) {
      plot.dots(
          values(points, regime, Point::beginNs),
          values(points, regime, this::shownError),
          "dots " + COLORS.get(regime));
    }
    plot.close();
    Section.closeFigure(out, List.of("", "steps"), pointCounts(regimes));
  }

  private void writeHistogram(List<Point> points) {
    Section.openFigure(out, "Distribution of relative errors", "", "halfbox");
    final int bins = 50;
    final double[] counts = new double[bins];
    double most = 1;
    for (Point point : points) {
      final double share = (shownError(point) + mostError) / (2 * mostError);
      final int bin = Math.clamp((int) (share * bins), 0, bins - 1);
      counts[bin]++;
      most = Math.max(most, counts[bin]);
    }
    final Axis x =
        Axis.linear("predicted / measured − 1", -mostError, mostError, 5, FitPage::percent);
    final Plot plot =
        new Plot(out, 540, 320, x, Axis.countsFromZero("steps", most, 4, FitPage::whole));
    plot.open("How often which relative error occurs.");
    for (int bin = 0; bin < bins; bin++) {
      if (counts[bin] > 0) {
        final double from = -mostError + 2 * mostError * bin / bins;
        plot.bar(from, from + 2 * mostError / bins, 0, counts[bin], "bin p-prefill");
      }
    }
    plot.close();
    final FitQuality held = fit.held().all();
    Section.closeFigure(
        out,
        List.of("", "relative error"),
        List.of(
            List.of("median of the size", percent(held.medianError())),
            List.of("nine in ten within", percent(held.p90Error()))));
  }

  private Axis errorAxis() {
    return Axis.linear("predicted / measured − 1", -mostError, mostError, 5, FitPage::percent);
  }

  private double shownError(Point point) {
    return Math.clamp(point.predictedNs() / point.measuredNs() - 1, -mostError, mostError);
  }

  private List<List<String>> pointCounts(List<Regime> regimes) {
    return regimes.stream()
        .map(
            regime -> {
              final FitQuality quality = fit.held().byRegime().get(regime);
              return List.of(regime.label(), Human.count(quality == null ? 0 : quality.rows()));
            })
        .toList();
  }

  private static double[] values(List<Point> points, Regime regime, ToDoubleFunction<Point> value) {
    return points.stream().filter(point -> point.regime() == regime).mapToDouble(value).toArray();
  }

  private void writeQuality() {
    Section.open(out, "quality", "Errors");
    Section.note(
        out,
        "Relative errors are predicted / measured − 1. Autocorrelation is that of the errors with"
            + " those of the step before.");
    final List<List<String>> rows = new ArrayList<>();
    rows.add(row("fitted (earlier)", fit.trained().all()));
    rows.add(row("held out", fit.held().all()));
    fit.held().byRegime().forEach((regime, all) -> rows.add(row("… " + regime.label(), all)));
    fit.held()
        .byBatch()
        .forEach(
            (batch, all) ->
                rows.add(
                    row(
                        batch == Integer.MAX_VALUE
                            ? "… more requests"
                            : "… up to " + batch + " requests",
                        all)));
    fit.leftOut()
        .forEach((label, quality) -> rows.add(row("fitted without " + label, quality.all())));
    Section.table(
        out,
        List.of("", "steps", "R²", "RMSE", "MAPE", "median", "P90", "bias", "autocorrelation"),
        rows);
    Section.close(out);
  }

  private static List<String> row(String name, FitQuality quality) {
    return List.of(
        name,
        Human.count(quality.rows()),
        fixed(quality.r2(), 4),
        Human.duration(quality.rmse()),
        percent(quality.meanError()),
        percent(quality.medianError()),
        percent(quality.p90Error()),
        percent(quality.bias()),
        fixed(quality.autocorrelation(), 2));
  }

  private void writeCoefficients() {
    Section.open(out, "coefficients", "Coefficients");
    for (FittedPart part : fit.parts()) {
      out.element("h3", part.part().label() + ", in ns");
      Section.note(
          out,
          String.format(
              Locale.ROOT,
              "%s. Error on blocks of time left out: %.1f ± %.1f %%. Condition number: %.3g.",
              part.part() == StepPart.HOST ? "The host's part" : "Form: " + part.form().label(),
              100 * fit.tuning(part.part()).error().meanError(),
              100 * fit.tuning(part.part()).error().standardError(),
              part.conditionNumber()));
      final List<List<String>> rows = new ArrayList<>();
      for (Coefficient coefficient : part.coefficients()) {
        rows.add(
            List.of(
                coefficient.feature().name(),
                String.format(Locale.ROOT, "%.5g", coefficient.value()).replace("-", "−"),
                Double.isNaN(coefficient.standardError())
                    ? ""
                    : String.format(
                        Locale.ROOT, "%.4g to %.4g", coefficient.low95(), coefficient.high95()),
                coefficient.status().label(),
                FitText.words(part, coefficient)));
      }
      Section.table(
          out, List.of("term", "coefficient", "95 % interval", "status", "in words"), rows);
    }
    Section.close(out);
  }

  static String fixed(double value, int digits) {
    return String.format(Locale.ROOT, "%." + digits + "f", value).replace("-", "−");
  }

  private static String percent(double share) {
    return String.format(Locale.ROOT, "%.1f %%", 100 * share).replace("-", "−");
  }

  private static String whole(double value) {
    return Human.count(Math.round(value));
  }
}
