package dev.headway.report.analyze;

import java.util.ArrayList;
import java.util.List;

/**
 * Where a figure of the engine is going: a straight line through its means over {@value #WINDOWS}
 * equal spans of the profile's time.
 *
 * <p>The interval of the slope is that of least squares over the windows, with Student's t; a trend
 * is significant if it leaves out 0. It says where things go if they go on as in the profile, and
 * nothing of a day or a week that the profile does not show.
 *
 * @param name the figure
 * @param mean over the windows
 * @param perMinute slope
 * @param low of its 95 % interval
 * @param high of its 95 % interval
 * @param limit what the figure cannot exceed; NaN if there is no such value
 * @param minutesToLimit from the end of the profile until the line meets it; NaN if it never does,
 *     or the trend is not significant
 */
public record Trend(
    String name,
    double mean,
    double perMinute,
    double low,
    double high,
    double limit,
    double minutesToLimit) {

  static final int WINDOWS = 20;

  private static final double T_OF_18 = 2.101; // 97.5 % of Student's t, WINDOWS - 2 degrees
  private static final double SECONDS_PER_MINUTE = 60;
  private static final int LEAST_STEPS = 5 * WINDOWS;

  /** Whether it differs from chance. */
  public boolean isSignificant() {
    return low > 0 || high < 0;
  }

  /** Those of a profile of one run that is long enough; else none. */
  static List<Trend> of(StepTable table) {
    final double span = table.size() == 0 ? Double.NaN : table.ageSeconds.at(table.size() - 1);
    if (table.runs() != 1 || table.size() < LEAST_STEPS || !(span > 0)) {
      return List.of();
    }
    final double width = span / WINDOWS;
    final List<Trend> trends = new ArrayList<>();
    add(trends, "tokens per second", sums(table, table.tokens, width, 1), width, Double.NaN);
    add(trends, "share of time in steps", sums(table, table.totalMs, width, 1e-3), width, 1);
    add(trends, "waiting requests", means(table, table.waiting, width), width, Double.NaN);
    add(trends, "KV cache usage", means(table, table.kvUsage, width), width, 1);
    return List.copyOf(trends);
  }

  private static void add(
      List<Trend> trends, String name, double[] values, double width, double limit) {
    double sum = 0;
    for (double value : values) {
      sum += value;
    }
    if (Double.isNaN(sum)) {
      return; // not recorded, or a span without steps
    }
    final double mean = sum / WINDOWS;
    final double middle = (WINDOWS - 1) / 2.0;
    double xx = 0;
    double xy = 0;
    for (int i = 0; i < WINDOWS; i++) {
      xx += (i - middle) * (i - middle);
      xy += (i - middle) * (values[i] - mean);
    }
    final double slope = xy / xx;
    double residual = 0;
    for (int i = 0; i < WINDOWS; i++) {
      final double off = values[i] - mean - slope * (i - middle);
      residual += off * off;
    }
    final double margin = T_OF_18 * Math.sqrt(residual / (WINDOWS - 2) / xx);
    final double perMinute = SECONDS_PER_MINUTE / width;
    final double atEnd = mean + slope * (WINDOWS / 2.0);
    final boolean grows = slope - margin > 0;
    trends.add(
        new Trend(
            name,
            mean,
            slope * perMinute,
            (slope - margin) * perMinute,
            (slope + margin) * perMinute,
            limit,
            grows && limit > atEnd ? (limit - atEnd) / (slope * perMinute) : Double.NaN));
  }

  private static int window(StepTable table, int row, double width) {
    return Math.max(0, Math.min(WINDOWS - 1, (int) (table.ageSeconds.at(row) / width)));
  }

  /** Sums over each window, per second of it. */
  private static double[] sums(StepTable table, Samples samples, double width, double scale) {
    final double[] sums = new double[WINDOWS];
    for (int row = 0; row < table.size(); row++) {
      sums[window(table, row, width)] += samples.at(row) * scale / width;
    }
    return sums;
  }

  private static double[] means(StepTable table, Samples samples, double width) {
    final double[] sums = new double[WINDOWS];
    final int[] counts = new int[WINDOWS];
    for (int row = 0; row < table.size(); row++) {
      final int window = window(table, row, width);
      sums[window] += samples.at(row);
      counts[window]++;
    }
    for (int i = 0; i < WINDOWS; i++) {
      sums[i] /= counts[i];
    }
    return sums;
  }
}
