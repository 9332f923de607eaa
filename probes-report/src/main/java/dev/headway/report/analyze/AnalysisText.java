package dev.headway.report.analyze;

import java.util.List;
import java.util.Locale;

/** Tables for people. */
public final class AnalysisText {

  private AnalysisText() {}

  /** The figures in two views, and what explains them. */
  public static String of(Analysis analysis) {
    final StringBuilder text = new StringBuilder();
    line(
        text,
        String.format(
            Locale.ROOT,
            "%d steps in %d %s; warm-up: %d, outliers: %d",
            analysis.steps(),
            analysis.runs(),
            analysis.runs() == 1 ? "run" : "runs",
            analysis.warmUps(),
            analysis.outliers()));
    line(text, "");
    line(
        text, String.format(Locale.ROOT, "%-28s %14s %14s  %s", "figure", "all", "steady", "unit"));
    for (Figure figure : analysis.figures()) {
      line(
          text,
          String.format(
              Locale.ROOT,
              "%-28s %14s %14s  %s",
              figure.name(),
              number(figure.all()),
              number(figure.steady()),
              figure.unit()));
    }
    suspects(text, analysis.suspects());
    trends(text, analysis.trends());
    if (!analysis.explanations().isEmpty()) {
      line(text, "");
      analysis.explanations().forEach(explanation -> line(text, "* " + explanation));
    }
    return text.toString();
  }

  private static void suspects(StringBuilder text, List<Suspect> suspects) {
    if (suspects.isEmpty()) {
      return;
    }
    line(text, "");
    line(text, "Steps whose scheduling took far longer than the median of steps like them:");
    line(
        text,
        String.format(
            Locale.ROOT,
            "%10s %12s %12s %8s %12s %9s %8s %8s %10s",
            "step",
            "at, s",
            "schedule, ms",
            "times",
            "run, ms",
            "requests",
            "tokens",
            "waiting",
            "preempted"));
    for (Suspect each : suspects) {
      line(
          text,
          String.format(
              Locale.ROOT,
              "%10d %12s %12s %8s %12s %9s %8s %8s %10s",
              each.step(),
              number(each.atSeconds()),
              number(each.scheduleMs()),
              String.format(Locale.ROOT, "%.1f", each.times()),
              number(each.runMs()),
              number(each.requests()),
              number(each.tokens()),
              number(each.waiting()),
              number(each.preempted())));
    }
  }

  private static void trends(StringBuilder text, List<Trend> trends) {
    if (trends.isEmpty()) {
      return;
    }
    line(text, "");
    line(text, "Trends over the profile, per minute:");
    for (Trend each : trends) {
      line(
          text,
          String.format(
              Locale.ROOT,
              "%-24s mean %-12s %s per minute [%s, %s]%s",
              each.name(),
              number(each.mean()),
              number(each.perMinute()),
              number(each.low()),
              number(each.high()),
              outlook(each)));
    }
  }

  private static String outlook(Trend trend) {
    if (!trend.isSignificant()) {
      return ": no trend";
    }
    return Double.isNaN(trend.minutesToLimit())
        ? ""
        : ": at %s in %s minutes".formatted(number(trend.limit()), number(trend.minutesToLimit()));
  }

  /** Two profiles side by side. */
  public static String of(Comparison comparison) {
    final StringBuilder text = new StringBuilder();
    line(
        text,
        String.format(
            Locale.ROOT,
            "%-24s %12s %12s %9s  %-27s %-11s %s",
            "figure",
            "A",
            "B",
            "change",
            "95 % interval of B - A",
            "significant",
            "unit"));
    for (Comparison.Row row : comparison.rows()) {
      final String change =
          Double.isFinite(row.changePercent())
              ? String.format(Locale.ROOT, "%+.1f %%", row.changePercent())
              : "-";
      line(
          text,
          String.format(
              Locale.ROOT,
              "%-24s %12s %12s %9s  %-27s %-11s %s",
              row.name(),
              number(row.first()),
              number(row.second()),
              change,
              "[" + number(row.low()) + ", " + number(row.high()) + "]",
              row.isSignificant() ? "yes" : "no",
              row.unit()));
    }
    return text.toString();
  }

  /** Four decimals for small figures, none for large ones, "-" for one that is absent. */
  public static String number(double value) {
    if (!Double.isFinite(value)) {
      return "-";
    }
    if (value == Math.rint(value) && Math.abs(value) < 1e15) {
      return String.format(Locale.ROOT, "%d", (long) value);
    }
    final double size = Math.abs(value);
    return String.format(Locale.ROOT, size < 100 ? "%.4f" : size < 10_000 ? "%.2f" : "%.0f", value);
  }

  private static void line(StringBuilder text, String line) {
    text.append(line.stripTrailing()).append('\n');
  }
}
