package dev.headway.report.analyze;

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
    if (!analysis.explanations().isEmpty()) {
      line(text, "");
      analysis.explanations().forEach(explanation -> line(text, "* " + explanation));
    }
    return text.toString();
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
  static String number(double value) {
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
