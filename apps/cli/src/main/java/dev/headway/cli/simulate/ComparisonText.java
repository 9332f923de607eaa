package dev.headway.cli.simulate;

import dev.headway.simulation.compare.Bootstrap.Interval;
import dev.headway.simulation.compare.Metric;
import dev.headway.simulation.compare.PolicyResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The table for a person, at most 120 columns wide: two lines per policy, figures above and their
 * intervals, or the column's second figure, below.
 */
public final class ComparisonText {

  private static final int NAME = 17;
  private static final int[] WIDTHS = {12, 12, 12, 12, 12, 11, 8, 6, 9, 7};
  private static final double NS_PER_SECOND = 1e9;
  private static final double NS_PER_MS = 1e6;
  private static final double NS_PER_MICRO = 1e3;

  private final StringBuilder text = new StringBuilder();

  private ComparisonText() {}

  static String of(List<PolicyResult> results) {
    final ComparisonText table = new ComparisonText();
    table.head();
    results.forEach(table::policy);
    return table.text.toString();
  }

  private void head() {
    line(
        "",
        "short TTFT",
        "short TTFT",
        "long TTFT",
        "long TTFT",
        "ITL",
        "goodput",
        "recomp",
        "Jain",
        "makespan",
        "step");
    line("policy", "p50 s", "p99 s", "p50 s", "p99 s", "p99 ms", "%", "%", "", "s", "µs");
    line("  [95 % interval]", "", "", "", "", "", "", "preempt", "hit %", "tokens/s", "policy");
    text.append("  ").append("-".repeat(118)).append('\n');
  }

  private void policy(PolicyResult result) {
    String name = result.policy();
    if (name.length() > NAME) {
      text.append("  ").append(name).append('\n');
      name = "";
    }
    final PolicyResult.Cost cost = result.cost();
    line(
        name,
        seconds(result, Metric.TTFT_SHORT_P50),
        seconds(result, Metric.TTFT_SHORT_P99),
        seconds(result, Metric.TTFT_LONG_P50),
        seconds(result, Metric.TTFT_LONG_P99),
        digits(result.value(Metric.ITL_P99) / NS_PER_MS),
        percent(result.value(Metric.GOODPUT_SHARE)),
        digits(100 * result.value(Metric.RECOMPUTE_TAX)),
        ratio(result.value(Metric.JAIN)),
        digits(result.value(Metric.MAKESPAN) / NS_PER_SECOND),
        digits(cost.schedulerNsPerStep() / NS_PER_MICRO));
    line(
        "",
        interval(result, Metric.TTFT_SHORT_P50, 1 / NS_PER_SECOND),
        interval(result, Metric.TTFT_SHORT_P99, 1 / NS_PER_SECOND),
        interval(result, Metric.TTFT_LONG_P50, 1 / NS_PER_SECOND),
        interval(result, Metric.TTFT_LONG_P99, 1 / NS_PER_SECOND),
        interval(result, Metric.ITL_P99, 1 / NS_PER_MS),
        goodputInterval(result),
        count(result.value(Metric.PREEMPTIONS)),
        digits(100 * result.value(Metric.PREFIX_HIT_SHARE)),
        count(result.value(Metric.TOKENS_PER_SECOND)),
        digits(cost.policyNsPerStep() / NS_PER_MICRO));
    remarks(result);
  }

  private void remarks(PolicyResult result) {
    final List<String> remarks = new ArrayList<>();
    if (result.value(Metric.NOT_FINISHED) > 0) {
      result.outcomes().entrySet().stream()
          .filter(entry -> !entry.getKey().equals("length"))
          .forEach(entry -> remarks.add(entry.getKey() + " " + entry.getValue()));
    }
    if (result.value(Metric.POLICY_FAULTS) > 0) {
      remarks.add("policy faults " + (long) result.value(Metric.POLICY_FAULTS));
    }
    if (!remarks.isEmpty()) {
      text.append("    ").append(String.join(", ", remarks)).append('\n');
    }
  }

  private void line(String name, String... cells) {
    final StringBuilder line = new StringBuilder("  ");
    line.append(name).repeat(" ", Math.max(0, NAME - name.length()));
    for (int i = 0; i < cells.length; i++) {
      line.repeat(" ", Math.max(1, WIDTHS[i] - cells[i].length())).append(cells[i]);
    }
    text.append(line.toString().stripTrailing()).append('\n');
  }

  private static String seconds(PolicyResult result, Metric metric) {
    return digits(result.value(metric) / NS_PER_SECOND);
  }

  private static String interval(PolicyResult result, Metric metric, double factor) {
    final Interval interval = result.metrics().get(metric);
    return interval == null || Double.isNaN(interval.low())
        ? ""
        : digits(interval.low() * factor) + "-" + digits(interval.high() * factor);
  }

  private static String goodputInterval(PolicyResult result) {
    final Interval interval = result.metrics().get(Metric.GOODPUT_SHARE);
    return interval == null || Double.isNaN(interval.low())
        ? ""
        : percent(interval.low()) + "-" + percent(interval.high());
  }

  private static String percent(double share) {
    return Double.isNaN(share) ? "-" : String.format(Locale.ROOT, "%.1f", 100 * share);
  }

  private static String ratio(double value) {
    return Double.isNaN(value) ? "-" : String.format(Locale.ROOT, "%.3f", value);
  }

  private static String count(double value) {
    return Double.isNaN(value) ? "-" : String.format(Locale.ROOT, "%.0f", value);
  }

  /** Three digits are worth reading. */
  static String digits(double value) {
    if (Double.isNaN(value)) {
      return "-";
    }
    if (value == 0) {
      return "0";
    }
    if (value >= 99.95) {
      return String.format(Locale.ROOT, "%.0f", value);
    }
    return String.format(Locale.ROOT, value >= 10 ? "%.1f" : value >= 1 ? "%.2f" : "%.3f", value);
  }
}
