package dev.headway.cli.learn;

import dev.headway.simulation.calibrate.LatencyMetric;
import dev.headway.simulation.fit.FittedNumber;
import dev.headway.simulation.fit.MeasuredQuality;
import dev.headway.simulation.fit.MeasuredRun;
import dev.headway.simulation.fit.MeasuredStepFit;
import dev.headway.toolbox.text.Human;
import java.util.Formatter;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;

/** What a fit to measured requests says, on a terminal. Stateless. */
final class MeasuredFitText {

  private static final String LATENCY = "  %-22s %9s %12s %12s %8s %12s%n";

  private MeasuredFitText() {}

  static String of(MeasuredStepFit fit) {
    final Formatter text = new Formatter(Locale.ROOT);
    for (MeasuredRun run : fit.runs()) {
      final String omitted =
          run.omittedByReason().entrySet().stream()
              .map(entry -> entry.getKey() + " " + entry.getValue())
              .collect(Collectors.joining(", "));
      text.format(
          "%s: %s requests; left out: %s%n",
          run.label(), Human.count(run.size()), omitted.isEmpty() ? "none" : omitted);
    }
    if (fit.refused() > 0) {
      text.format(
          "%s measured requests are refused in the simulation: a limit is smaller than the"
              + " server's%n",
          Human.count(fit.refused()));
    }
    text.format(
        "%nbeta_step: %s, by %d simulations of the measured requests%n",
        fit.kernels() == null ? "shares of the peaks" : "multiples of " + fit.kernels(),
        fit.simulations());
    text.format(FitText.COEFFICIENT, "", "value", "95 % interval", "in words");
    for (FittedNumber number : fit.numbers()) {
      text.format(
          FitText.COEFFICIENT,
          number.name(),
          value(number, number.value()),
          value(number, number.low()) + " to " + value(number, number.high()),
          words(number, fit.kernels() == null));
    }
    for (FittedNumber.Confused pair : fit.confused()) {
      text.format(
          "  %s and %s can hardly be distinguished: %s of the one and less of the other predict the same"
              + " (correlation %.2f)%n",
          pair.one(), pair.other(), pair.correlation() < 0 ? "more" : "less", pair.correlation());
    }
    text.format("%n");
    text.format(
        LATENCY, "latency, mean", "requests", "measured", "simulated", "error", "per request");
    append(text, "fitted", fit::trained);
    append(text, "held out (later)", fit::held);
    return text.toString();
  }

  private static String value(FittedNumber number, double value) {
    return number.isFactor() ? FitText.number(value) : Human.duration(value);
  }

  private static String words(FittedNumber number, boolean ofPeaks) {
    final String said;
    if (!number.isFactor()) {
      said =
          switch (number.name()) {
            case "step" -> "per step";
            case "request" -> "per request of a step";
            default -> "from arrival to the queue";
          };
    } else if (ofPeaks) {
      said = String.format(Locale.ROOT, "%.0f %% of the peak", 100 / number.value());
    } else if (number.name().equals("all_reduce") && number.value() < 1) {
      said =
          String.format(
              Locale.ROOT, "%.0f %% of what was measured is hidden", 100 * (1 - number.value()));
    } else {
      said = String.format(Locale.ROOT, "%.2f times what was measured", number.value());
    }
    if (number.isAtBound()) {
      return said + ": at its bound, others may have its time";
    }
    return number.isTold() ? said : said + ": this load hardly says";
  }

  private static void append(
      Formatter text, String part, Function<LatencyMetric, MeasuredQuality> quality) {
    for (LatencyMetric metric : LatencyMetric.values()) {
      final MeasuredQuality of = quality.apply(metric);
      if (of.requests() > 0) {
        text.format(
            LATENCY,
            (metric == LatencyMetric.TTFT ? part + ", " : "  ") + metric.label(),
            Human.count(of.requests()),
            Human.duration(of.measuredNs()),
            Human.duration(of.simulatedNs()),
            String.format(Locale.ROOT, "%+.1f %%", 100 * of.bias()),
            String.format(Locale.ROOT, "%.1f %%", 100 * of.meanError()));
      }
    }
  }
}
