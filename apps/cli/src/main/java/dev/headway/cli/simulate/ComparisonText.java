package dev.headway.cli.simulate;

import dev.headway.simulation.compare.Bootstrap.Interval;
import dev.headway.simulation.compare.Metric;
import dev.headway.simulation.compare.PolicyResult;
import dev.headway.simulation.compare.TenantLatency;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * What a person reads of a comparison, at most 120 columns wide: a table of what clients see, with
 * the interval of each figure below it, and one of what it takes. A column has one meaning and its
 * unit in the head.
 */
public final class ComparisonText {

  private static final int NAME = 26;
  private static final int WIDTH = 15;
  private static final int NARROW = 11;
  private static final double NS_PER_SECOND = 1e9;
  private static final double NS_PER_MS = 1e6;
  private static final double NS_PER_MICRO = 1e3;
  private static final double PER_CENT = 100;
  private static final int MOST_TENANTS = 6;

  /** A share of requests that wait, below which policies hardly differ. */
  private static final double FEW_WAIT = 0.02;

  private final StringBuilder text = new StringBuilder();

  private ComparisonText() {}

  static String of(List<PolicyResult> results) {
    final ComparisonText table = new ComparisonText();
    final boolean hasIntervals = results.stream().anyMatch(ComparisonText::hasInterval);
    table.latencies(results, hasIntervals);
    table.tenants(results);
    table.costs(results);
    table.hints(results);
    return table.text.toString();
  }

  private void latencies(List<PolicyResult> results, boolean hasIntervals) {
    text.append("  What clients see")
        .append(hasIntervals ? ", and the 95 % interval of each figure below it" : "")
        .append("\n\n");
    head(WIDTH, "short TTFT", "short TTFT", "long TTFT", "long TTFT", "per token", "goodput");
    head(WIDTH, "p50, s", "p99, s", "p50, s", "p99, s", "p99, ms", "%");
    for (PolicyResult result : results) {
      line(
          WIDTH,
          result.policy(),
          figure(result, Metric.TTFT_SHORT_P50, 1 / NS_PER_SECOND),
          figure(result, Metric.TTFT_SHORT_P99, 1 / NS_PER_SECOND),
          figure(result, Metric.TTFT_LONG_P50, 1 / NS_PER_SECOND),
          figure(result, Metric.TTFT_LONG_P99, 1 / NS_PER_SECOND),
          figure(result, Metric.ITL_P99, 1 / NS_PER_MS),
          percent(result.value(Metric.GOODPUT_SHARE)));
      if (hasInterval(result)) {
        line(
            WIDTH,
            "",
            interval(result, Metric.TTFT_SHORT_P50, 1 / NS_PER_SECOND),
            interval(result, Metric.TTFT_SHORT_P99, 1 / NS_PER_SECOND),
            interval(result, Metric.TTFT_LONG_P50, 1 / NS_PER_SECOND),
            interval(result, Metric.TTFT_LONG_P99, 1 / NS_PER_SECOND),
            interval(result, Metric.ITL_P99, 1 / NS_PER_MS),
            interval(result, Metric.GOODPUT_SHARE, PER_CENT));
      }
      remarks(result);
    }
  }

  /** Those with the most requests, as many as fit the width. */
  private void tenants(List<PolicyResult> results) {
    final List<TenantLatency> all = results.getFirst().tenants();
    if (all.size() < 2) {
      return;
    }
    final List<String> shown =
        all.stream()
            .sorted(Comparator.comparingLong((TenantLatency each) -> -each.requests()))
            .limit(MOST_TENANTS)
            .map(TenantLatency::tenant)
            .sorted()
            .toList();
    text.append("\n  TTFT by tenant, p50 / p99, s");
    if (shown.size() < all.size()) {
      text.append(
          "; the %d of %,d with most requests, requests.csv has all"
              .formatted(shown.size(), all.size()));
    }
    text.append("\n\n");
    head(WIDTH, shown.stream().map(ComparisonText::shortened).toArray(String[]::new));
    for (PolicyResult result : results) {
      line(
          WIDTH,
          result.policy(),
          shown.stream().map(tenant -> ttft(result, tenant)).toArray(String[]::new));
    }
  }

  private static String shortened(String tenant) {
    return tenant.length() < WIDTH ? tenant : tenant.substring(0, WIDTH - 2) + "…";
  }

  private static String ttft(PolicyResult result, String tenant) {
    return result.tenants().stream()
        .filter(each -> each.tenant().equals(tenant))
        .map(
            each ->
                digits(each.ttftP50Ns() / NS_PER_SECOND)
                    + " / "
                    + digits(each.ttftP99Ns() / NS_PER_SECOND))
        .findFirst()
        .orElse("-");
  }

  /** Why rows may be alike, or a column empty. */
  private void hints(List<PolicyResult> results) {
    final double waited =
        results.stream().mapToDouble(each -> each.value(Metric.WAITED_SHARE)).max().orElse(0);
    if (waited < FEW_WAIT) {
      text.append(
          "\n  Hardly any request waited (%.1f %%), and what does not wait is in no order: raise the rate\n  (--rate-scale) or lower --max-num-seqs\n"
              .formatted(100 * waited));
    }
    if (results.stream().allMatch(each -> Double.isNaN(each.value(Metric.JAIN)))) {
      text.append(
          results.getFirst().tenants().size() < 2
              ? "\n  fairness is between tenants, and the load has none: --tenants N draws some\n"
              : "\n"
                  + "  fairness is between tenants that wait, of which there were no two at a"
                  + " time\n");
    }
  }

  private void costs(List<PolicyResult> results) {
    text.append("\n  What it takes\n\n");
    head(
        NARROW,
        "makespan",
        "in and out",
        "preempted",
        "computed",
        "prefix",
        "fairness",
        "step",
        "policy");
    head(NARROW, "s", "tokens/s", "times", "again, %", "hits, %", "Jain", "µs", "µs a step");
    for (PolicyResult result : results) {
      line(
          NARROW,
          result.policy(),
          figure(result, Metric.MAKESPAN, 1 / NS_PER_SECOND),
          count(result.value(Metric.TOKENS_PER_SECOND)),
          count(result.value(Metric.PREEMPTIONS)),
          figure(result, Metric.RECOMPUTE_TAX, PER_CENT),
          figure(result, Metric.PREFIX_HIT_SHARE, PER_CENT),
          ratio(result.value(Metric.JAIN)),
          digits(result.cost().schedulerNsPerStep() / NS_PER_MICRO),
          digits(result.cost().policyNsPerStep() / NS_PER_MICRO));
    }
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

  private void head(int width, String... cells) {
    line(width, "", cells);
  }

  /** A name that is longer than its column has a line of its own. */
  private void line(int width, String name, String... cells) {
    final boolean fits = name.length() <= NAME;
    final StringBuilder line = new StringBuilder("  ").append(fits ? name : name + "\n  ");
    line.repeat(" ", fits ? NAME - name.length() : NAME);
    for (String cell : cells) {
      line.repeat(" ", Math.max(1, width - cell.length())).append(cell);
    }
    text.append(line.toString().stripTrailing()).append('\n');
  }

  private static String figure(PolicyResult result, Metric metric, double factor) {
    return digits(result.value(metric) * factor);
  }

  private static boolean hasInterval(PolicyResult result) {
    return !interval(result, Metric.TTFT_SHORT_P50, 1).isEmpty()
        || !interval(result, Metric.GOODPUT_SHARE, 1).isEmpty();
  }

  private static String interval(PolicyResult result, Metric metric, double factor) {
    final Interval interval = result.metrics().get(metric);
    return interval == null || Double.isNaN(interval.low())
        ? ""
        : digits(interval.low() * factor) + "-" + digits(interval.high() * factor);
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
