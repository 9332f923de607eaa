package dev.headway.cli.simulate;

import dev.headway.api.step.LatencyModel;
import dev.headway.simulation.compare.Bootstrap.Interval;
import dev.headway.simulation.compare.FleetMetric;
import dev.headway.simulation.fleet.FleetResult;
import dev.headway.toolbox.text.Human;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Figures of runs with several instances, for a terminal and for tables. Stateless. */
final class FleetText {

  /** The figures of tables, in this order. */
  static final List<FleetMetric> SHOWN =
      List.of(
          FleetMetric.TTFT_MEAN,
          FleetMetric.TTFT_P50,
          FleetMetric.TTFT_P99,
          FleetMetric.E2E_P99,
          FleetMetric.HIT_SHARE,
          FleetMetric.IMBALANCE,
          FleetMetric.REGRET_MEAN);

  private FleetText() {}

  /** A run in a few lines. */
  static String of(FleetResult result, Map<FleetMetric, Interval> figures) {
    final StringBuilder text = new StringBuilder();
    line(text, "model", StepTimesText.model(result.settings().engine()));
    final LatencyModel latency = result.settings().engine().latency();
    line(text, "step times", StepTimesText.source(latency));
    if (!StepTimesText.remark(latency).isEmpty()) {
      line(text, "", StepTimesText.remark(latency));
    }
    line(text, "router", result.settings().router());
    line(
        text,
        "instances",
        result.settings().instances()
            + ", requests "
            + Arrays.toString(result.requestsByInstance()));
    for (FleetMetric metric : SHOWN) {
      line(text, metric.label(), withInterval(metric, figures));
    }
    line(text, "simulated", Human.duration(result.endNs()));
    return text.toString();
  }

  private static void line(StringBuilder text, String name, String value) {
    text.append(String.format(Locale.ROOT, "  %-13s %s%n", name, value));
  }

  /** A figure for people. */
  static String value(FleetMetric metric, double value) {
    if (Double.isNaN(value)) {
      return "–";
    }
    return switch (metric.unit()) {
      case "ns" -> Human.duration(Math.rint(value));
      case "share" -> String.format(Locale.ROOT, "%.1f %%", 100 * value);
      case "ratio" -> String.format(Locale.ROOT, "%.3f", value);
      default -> Human.number(value);
    };
  }

  private static String withInterval(FleetMetric metric, Map<FleetMetric, Interval> figures) {
    final Interval figure = figures.getOrDefault(metric, new Interval(Double.NaN, 0, 0));
    return value(metric, figure.value())
        + (Double.isNaN(figure.low())
            ? ""
            : "  [" + value(metric, figure.low()) + ", " + value(metric, figure.high()) + "]");
  }
}
