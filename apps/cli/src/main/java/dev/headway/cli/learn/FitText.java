package dev.headway.cli.learn;

import dev.headway.simulation.fit.ErrorBand;
import dev.headway.simulation.fit.ErrorBands;
import dev.headway.simulation.fit.FitVerdict;
import dev.headway.simulation.fit.FittedPart;
import dev.headway.simulation.fit.RecordedRun;
import dev.headway.simulation.fit.Regime;
import dev.headway.simulation.fit.RoutingSkew;
import dev.headway.simulation.fit.StepPart;
import dev.headway.simulation.fit.StepTimeFit;
import dev.headway.simulation.fit.StepTimeForm;
import dev.headway.simulation.fit.StepTimeQuality;
import dev.headway.simulation.fit.Tuning;
import dev.headway.simulation.regression.Coefficient;
import dev.headway.simulation.regression.Coefficient.Status;
import dev.headway.simulation.regression.FitQuality;
import dev.headway.toolbox.text.Human;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** What a fit says, on a terminal. Stateless. */
final class FitText {

  static final String COEFFICIENT = "  %-26s %14s %22s  %s%n";
  private static final String QUALITY = "  %-22s %7s %8s %10s %8s %8s %8s %8s %6s%n";

  /** Mean over median beyond which the mean is that of a few steps. */
  private static final double SKEWED = 2;

  private static final double LEAST_SKEWED = 0.01;

  private FitText() {}

  static String of(StepTimeFit fit) {
    final StringBuilder text = new StringBuilder();
    for (RecordedRun run : fit.runs()) {
      final String omitted =
          run.steps().omitted().entrySet().stream()
              .map(entry -> entry.getKey().label() + " " + entry.getValue())
              .collect(Collectors.joining(", "));
      text.append(run.steps().label()).append(": ");
      text.append(Human.count(run.steps().size())).append(" steps; left out: ");
      text.append(omitted.isEmpty() ? "none" : omitted).append('\n');
      append(text, run.skew());
    }
    appendVerdict(text, fit.held().all());
    for (FittedPart part : fit.parts()) {
      append(text, part, fit);
    }
    appendForms(text, fit);
    appendQuality(text, fit);
    return text.toString();
  }

  private static void append(StringBuilder text, RoutingSkew skew) {
    if (skew.steps() > 0) {
      text.append(
          String.format(
              Locale.ROOT,
              "  experts: %s steps say how many computed, %.1f %% off on average with a routing skew"
                  + " of %.2f, %.1f %% without%n",
              Human.count(skew.steps()),
              100 * skew.meanError(),
              skew.value(),
              100 * skew.meanErrorWithout()));
    }
  }

  private static void appendVerdict(StringBuilder text, FitQuality held) {
    final double error = held.meanError();
    text.append(
        String.format(
            Locale.ROOT,
            "%nsteps that were left out are predicted %.1f %% off on average%s: %s%n",
            100 * error,
            error > LEAST_SKEWED && error > SKEWED * held.medianError()
                ? ", half of them by at most " + percent(held.medianError())
                : "",
            FitVerdict.of(error).label()));
    if (FitVerdict.of(error) == FitVerdict.NOT_GOOD_ENOUGH) {
      text.append(
          """
            Record again on a machine with nothing else on it, the load sent from another one or with
            processors to spare (on the vector executor: serve --threads 1). Is --gpu what was
            recorded? Is every kind of step in it (headway bench 'for-learning(...)')?
          """);
    }
  }

  private static void appendForms(StringBuilder text, StepTimeFit fit) {
    if (fit.forms().size() > 1) {
      text.append("\nform: ").append(fit.form().label()).append(", of ");
      text.append(
          fit.forms().entrySet().stream()
              .map(
                  form ->
                      String.format(
                          Locale.ROOT,
                          "%s (off by %.1f %% in other times%s)",
                          form.getKey().label(),
                          100 * form.getValue().meanError(),
                          loadError(", ", form.getValue().loadError(), " under other loads")))
              .collect(Collectors.joining(" and ")));
      text.append('\n');
    }
  }

  /** Nothing where all steps have as many requests: there is no other load in them. */
  private static String loadError(String before, double error, String after) {
    return Double.isNaN(error) ? "" : before + percent(error) + after;
  }

  private static void append(StringBuilder text, FittedPart part, StepTimeFit fit) {
    final Tuning tuning = fit.tuning(part.part());
    text.append('\n').append(part.part().label()).append(" (ns): ");
    text.append(part.part() == StepPart.HOST ? "host" : part.form().label());
    if (!tuning.name().isEmpty()) {
      text.append(", ").append(tuning.name()).append(' ');
      text.append(
          tuning.taken() == Double.POSITIVE_INFINITY
              ? "of the longer of arithmetic and memory"
              : Double.toString(tuning.taken()));
    }
    text.append(
        String.format(
            Locale.ROOT,
            "; cross-validation over 5 blocks of time: off by %.1f %% of a step +- %.1f%s;"
                + " condition number %.3g%n",
            100 * tuning.error().meanError(),
            100 * tuning.error().standardError(),
            loadError(", over other loads: ", tuning.error().loadError(), ""),
            part.conditionNumber()));
    text.append(
        String.format(Locale.ROOT, COEFFICIENT, "", "coefficient", "95 % interval", "in words"));
    int unseen = 0;
    int none = 0;
    for (Coefficient coefficient : part.coefficients()) {
      if (coefficient.status() == Status.UNSEEN) {
        unseen++;
      } else if (coefficient.value() == 0) {
        none++;
      } else {
        text.append(
            String.format(
                Locale.ROOT,
                COEFFICIENT,
                coefficient.feature().name(),
                number(coefficient.value()),
                interval(coefficient),
                words(part, coefficient)));
      }
    }
    if (unseen + none > 0) {
      text.append("  not shown: ");
      text.append(none).append(" terms that add nothing, ");
      text.append(unseen).append(" of which no step had any (the file has all)\n");
    }
  }

  static String number(double value) {
    return String.format(Locale.ROOT, "%.5g", value);
  }

  static String interval(Coefficient coefficient) {
    return Double.isNaN(coefficient.standardError())
        ? ""
        : number(coefficient.low95()) + " to " + number(coefficient.high95());
  }

  /** What a coefficient means. */
  static String words(FittedPart part, Coefficient coefficient) {
    final double value = coefficient.value();
    final String unit = coefficient.feature().unit();
    if (coefficient.status() == Status.UNSEEN) {
      return "no step had any: as before fitting";
    }
    if (unit.startsWith("ns at the peak") && coefficient.feature().lowest() == 0) {
      return coefficient.status() == Status.AT_BOUND
          ? "none"
          : String.format(Locale.ROOT, "%.2f times the peak's time on top", value);
    }
    if (unit.startsWith("ns at the peak")) {
      return coefficient.status() == Status.AT_BOUND
          ? "100 % of the peak: at its bound, others may have its time"
          : String.format(Locale.ROOT, "%.0f %% of the peak", 100 / value);
    }
    if (unit.startsWith("ns as measured")) {
      return String.format(Locale.ROOT, "%.2f times what was measured", value);
    }
    if (coefficient.status() == Status.AT_BOUND) {
      return "none";
    }
    if (!isPhysical(part) || value < 0) {
      return unit.isEmpty() ? "" : "ns per " + unit;
    }
    return Human.duration(value) + (unit.isEmpty() ? " per step" : " per " + singular(unit));
  }

  private static boolean isPhysical(FittedPart part) {
    return part.part() == StepPart.HOST
        || part.form() == StepTimeForm.PHYSICS
        || part.form() == StepTimeForm.PIECEWISE;
  }

  private static String singular(String unit) {
    return unit.endsWith("s") ? unit.substring(0, unit.length() - 1) : unit;
  }

  private static void appendQuality(StringBuilder text, StepTimeFit fit) {
    text.append('\n');
    text.append(
        String.format(
            Locale.ROOT,
            QUALITY,
            "step time",
            "steps",
            "R2",
            "RMSE",
            "MAPE",
            "median",
            "P90",
            "bias",
            "auto"));
    text.append(row("fitted", fit.trained().all()));
    text.append(row("held out", fit.held().all()));
    fit.held().byRegime().forEach((regime, all) -> text.append(row("  " + regime.label(), all)));
    fit.held()
        .byBatch()
        .forEach(
            (batch, all) ->
                text.append(
                    row(
                        batch == Integer.MAX_VALUE
                            ? "  more requests"
                            : batch == 1 ? "  1 request" : "  to " + batch + " requests",
                        all)));
    fit.leftOut().forEach((label, quality) -> text.append(row("without " + label, quality.all())));
    text.append("  nine in ten measured times over predicted: ")
        .append(bands(fit.bands()))
        .append('\n');
    appendWithin(text, "held out", fit.held());
    fit.leftOut().forEach((label, quality) -> appendWithin(text, "without " + label, quality));
    if (fit.held().driftAt() > 0) {
      text.append("  predictions drift: all in one direction by held-out step ")
          .append(Human.count(fit.held().driftAt()))
          .append('\n');
    }
    if (fit.isCorrected()) {
      text.append("  residuals are corrected by a regression of their own, by at most 2x\n");
    }
  }

  private static void appendWithin(StringBuilder text, String name, StepTimeQuality quality) {
    if (!Double.isNaN(quality.inBand())) {
      text.append("  within that, ").append(name).append(": ");
      text.append(percent(quality.inBand())).append('\n');
    }
  }

  private static String bands(ErrorBands bands) {
    final List<String> texts = new ArrayList<>();
    for (Regime regime : Regime.values()) {
      final ErrorBand band = bands.inside(regime);
      if (!Double.isNaN(band.low())) {
        texts.add(band(regime.label(), band));
      }
    }
    final ErrorBand outside = bands.outside();
    if (!Double.isNaN(outside.low())) {
      texts.add(
          band("outside of what was fitted", outside)
              + String.format(
                  Locale.ROOT,
                  " at %.1f times its least or most, more beyond",
                  Math.pow(2, bands.octaves())));
    }
    return texts.isEmpty() ? "not known, too few steps" : String.join(", ", texts);
  }

  private static String band(String name, ErrorBand band) {
    return String.format(Locale.ROOT, "%s %.3f to %.3f", name, band.low(), band.high());
  }

  private static String row(String name, FitQuality quality) {
    return String.format(
        Locale.ROOT,
        QUALITY,
        name.length() <= 22 ? name : "…" + name.substring(name.length() - 21),
        quality.rows(),
        String.format(Locale.ROOT, "%.4f", quality.r2()),
        Human.duration(quality.rmse()),
        percent(quality.meanError()),
        percent(quality.medianError()),
        percent(quality.p90Error()),
        (quality.bias() >= 0 ? "+" : "") + percent(quality.bias()),
        String.format(Locale.ROOT, "%.2f", quality.autocorrelation()));
  }

  private static String percent(double share) {
    return String.format(Locale.ROOT, "%.1f %%", 100 * share);
  }
}
