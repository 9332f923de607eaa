package dev.headway.report.html.page;

import com.google.common.math.PairedStatsAccumulator;
import dev.headway.report.html.figures.ComputedSteps;
import dev.headway.report.html.figures.ComputedSteps.OverSteps;
import dev.headway.toolbox.chart.Axis;
import dev.headway.toolbox.chart.Plot;
import dev.headway.toolbox.html.Markup;
import dev.headway.toolbox.html.Section;
import dev.headway.toolbox.stats.Correlation;
import dev.headway.toolbox.stats.Distribution;
import dev.headway.toolbox.stats.FoldingTable;
import dev.headway.toolbox.text.Human;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The six plots of the scheduling profile. */
final class SixPlots {

  private static final int WIDTH = 540;
  private static final int HEIGHT = 260;
  private static final int TABLE_ROWS = 16;
  private static final int HEXAGONS_ABOVE = 5_000;

  private final Markup out;
  private final ComputedSteps steps;
  private final String budget;
  private final FoldingTable table;
  private final double[] xs;
  private final Axis x;
  private final List<String> absent = new ArrayList<>();

  /**
   * Prepares the plots.
   *
   * @param budget most tokens of a step, as the configuration has it; empty if it is not known
   */
  SixPlots(Markup out, ComputedSteps steps, String budget) {
    this.out = out;
    this.steps = steps;
    this.budget = budget;
    this.table = steps.overSteps();
    this.xs = new double[steps.count() == 0 ? 0 : table.used()];
    Arrays.setAll(xs, i -> table.startOf(i) + (table.width() - 1) / 2.0);
    this.x = Axis.counts("batch_id", (double) Math.max(1, steps.count() - 1), 5, Human::compact);
  }

  void write() {
    Section.open(out, "profile", "Scheduling profile");
    if (xs.length == 0) {
      Section.note(out, "No step computed anything.");
      Section.close(out);
      return;
    }
    Section.note(
        out,
        Human.count(steps.count())
            + " steps computed something; batch_id counts them from 0."
            + (table.width() > 1
                ? " Lines are means over "
                    + Human.count(table.width())
                    + " steps, bands reach from the least to the largest."
                : ""));
    out.open("div", "class", "pair");
    writeDurations();
    writeRequests();
    writeTokens();
    writeScheduleHistogram();
    writeRunHistogram();
    writeScatter();
    out.close("div");
    if (!absent.isEmpty()) {
      Section.note(out, "Not shown: " + String.join("; ", absent) + ".");
    }
    Section.close(out);
  }

  private void writeDurations() {
    final double high = Math.max(steps.schedule().max(), steps.modelRun().max());
    final boolean simulated = steps.schedule().max() == 0;
    final double low = Math.max(1, lowest(simulated));
    Section.openFigure(
        out,
        "1. Scheduling and model run",
        simulated ? "Scheduling took no time: it was simulated." : "Time is logarithmic.",
        "halfbox");
    Section.legend(
        out, List.of("schedule_duration", "model_run_duration"), List.of("w1", "p-prefill"));
    final Plot plot = new Plot(out, WIDTH, HEIGHT, x, Axis.logTime("", low, high));
    plot.open("Duration of scheduling and of the model run over the steps.");
    envelope(plot, OverSteps.MODEL_RUN_NS, "p-prefill");
    if (!simulated) {
      envelope(plot, OverSteps.SCHEDULE_NS, "w1");
    }
    plot.close();
    closeWith(
        List.of("schedule, mean", "model run, mean", "model run, longest"),
        (from, to) ->
            List.of(
                Human.duration(mean(OverSteps.SCHEDULE_NS, from, to)),
                Human.duration(mean(OverSteps.MODEL_RUN_NS, from, to)),
                Human.duration(most(OverSteps.MODEL_RUN_NS, from, to))));
  }

  private double lowest(boolean simulated) {
    final double run10 = steps.modelRun().min();
    return simulated ? run10 * 0.8 : Math.min(run10, Math.max(1, steps.schedule().quantile(0.001)));
  }

  private void writeRequests() {
    Section.openFigure(
        out, "2. Prefill and decode requests", "Ticks below: preemptions.", "halfbox");
    Section.legend(
        out,
        List.of("num_decode_reqs", "num_prefill_reqs", "preemption"),
        List.of("p-decode", "p-prefill", "p-recompute"));
    final double[] decode = means(OverSteps.DECODE_REQUESTS);
    final double[] all = sum(decode, means(OverSteps.PREFILL_REQUESTS));
    final Plot plot =
        new Plot(
            out,
            WIDTH,
            HEIGHT,
            x,
            Axis.countsFromZero("requests", Arrays.stream(all).max().orElse(1), 5, Human::compact));
    plot.open("Requests of each step by what they do.");
    plot.band(xs, new double[xs.length], decode, "area p-decode");
    plot.band(xs, decode, all, "area p-prefill");
    for (int i = 0; i < xs.length; i++) {
      if (table.sum(OverSteps.PREEMPTED.column(), i) > 0) {
        plot.bar(xs[i], xs[i], 0, 0.04 * Arrays.stream(all).max().orElse(1), "p-recompute");
      }
    }
    plot.close();
    closeWith(
        List.of("decode requests, mean", "prefill requests, mean", "preemptions"),
        (from, to) ->
            List.of(
                Human.number(mean(OverSteps.DECODE_REQUESTS, from, to)),
                Human.number(mean(OverSteps.PREFILL_REQUESTS, from, to)),
                Human.count((long) total(OverSteps.PREEMPTED, from, to))));
  }

  private void writeTokens() {
    Section.openFigure(out, "3. Tokens", "total_scheduled_tokens, by kind.", "halfbox");
    Section.legend(
        out,
        List.of("decode", "prefill", "recompute"),
        List.of("p-decode", "p-prefill", "p-recompute"));
    final double[] decode = means(OverSteps.DECODE_TOKENS);
    final double[] prefill = sum(decode, means(OverSteps.PREFILL_TOKENS));
    final double[] all = sum(prefill, means(OverSteps.RECOMPUTED_TOKENS));
    final double most = Arrays.stream(all).max().orElse(1);
    final double limit = budget.matches("[0-9]{1,9}") ? Double.parseDouble(budget) : 0;
    final boolean showsLimit = limit > 0 && limit < 4 * most;
    final Plot plot =
        new Plot(
            out,
            WIDTH,
            HEIGHT,
            x,
            Axis.countsFromZero(
                "tokens", showsLimit ? Math.max(most, limit) : most, 5, Human::compact));
    plot.open("Tokens of each step by kind.");
    plot.band(xs, new double[xs.length], decode, "area p-decode");
    plot.band(xs, decode, prefill, "area p-prefill");
    plot.band(xs, prefill, all, "area p-recompute");
    if (showsLimit) {
      plot.reference(limit, "budget " + Human.count((long) limit));
    }
    plot.close();
    closeWith(
        List.of("decode, mean", "prefill, mean", "recompute, mean"),
        (from, to) ->
            List.of(
                Human.number(mean(OverSteps.DECODE_TOKENS, from, to)),
                Human.number(mean(OverSteps.PREFILL_TOKENS, from, to)),
                Human.number(mean(OverSteps.RECOMPUTED_TOKENS, from, to))));
  }

  private void writeScheduleHistogram() {
    final Distribution all = steps.schedule();
    if (all.max() == 0) {
      absent.add("4. Scheduling time: it was 0 in all steps, since time was simulated");
      return;
    }
    Section.openFigure(out, "4. Scheduling time", "Number of steps.", "halfbox");
    histogram(all, "w1");
  }

  private void writeRunHistogram() {
    writeRunHistogram("5a. Model run time, decode only", steps.decodeRun(), "p-decode");
    writeRunHistogram("5b. Model run time, with prefill", steps.mixedRun(), "p-prefill");
  }

  private void writeRunHistogram(String title, Distribution runs, String style) {
    if (runs.isEmpty()) {
      absent.add(title + ": there was no such step");
      return;
    }
    Section.openFigure(
        out,
        title,
        Human.count(runs.count()) + " of " + Human.count(steps.modelRun().count()) + " steps.",
        "halfbox");
    histogram(runs, style);
  }

  private void histogram(Distribution all, String style) {
    new HistogramFigure("time", "steps", style, Human::mark, Human::duration)
        .write(out, all, "Histogram; the table below has the counts.");
  }

  /** Pearson's r; NaN if one of the two does not vary. */
  private static double pearson(double[] x, double[] y) {
    final PairedStatsAccumulator pairs = new PairedStatsAccumulator();
    for (int i = 0; i < x.length; i++) {
      pairs.add(x[i], y[i]);
    }
    final boolean vary =
        x.length > 1
            && pairs.xStats().populationVariance() > 0
            && pairs.yStats().populationVariance() > 0;
    return vary ? pairs.pearsonsCorrelationCoefficient() : Double.NaN;
  }

  private void writeScatter() {
    if (steps.schedule().max() == 0) {
      absent.add("6. Scheduling against model run: scheduling took no time");
      return;
    }
    final double[][] rows = steps.sample().rows();
    final double[] schedule = Arrays.stream(rows).mapToDouble(row -> row[4]).toArray();
    final double[] modelRun = Arrays.stream(rows).mapToDouble(row -> row[0]).toArray();
    final double pearson = pearson(schedule, modelRun);
    final double spearman = Correlation.spearman(schedule, modelRun);
    final String whole =
        steps.sample().isWhole()
            ? ""
            : ", drawn uniformly from " + Human.count(steps.sample().seen());
    Section.openFigure(
        out,
        "6. Scheduling against model run",
        (Double.isNaN(pearson)
                ? "No correlation: one of the two does not vary"
                : "Pearson r = "
                    + Human.number(pearson)
                    + ", Spearman ρ = "
                    + Human.number(spearman))
            + "; n = "
            + Human.count(rows.length)
            + whole
            + ".",
        "halfbox");
    final double high = Arrays.stream(schedule).max().orElse(1);
    final double top = Arrays.stream(modelRun).max().orElse(1);
    final Plot plot =
        new Plot(
            out,
            WIDTH,
            HEIGHT,
            Axis.fromZero("schedule_duration", high, 4, Human::mark),
            Axis.fromZero("", top, 5, Human::mark));
    plot.open("Model run time of steps against their scheduling time.");
    plot.scatter(schedule, modelRun, HEXAGONS_ABOVE, "dots p-prefill");
    plot.close();
    Section.closeFigure(
        out,
        List.of("", "schedule", "model run"),
        List.of(
            List.of("mean", Human.duration(mean(schedule)), Human.duration(mean(modelRun))),
            List.of("longest", Human.duration(high), Human.duration(top))));
  }

  private interface Row {
    List<String> of(int from, int to);
  }

  private void closeWith(List<String> header, Row cells) {
    final List<String> all = new ArrayList<>(List.of("from batch", "to batch"));
    all.addAll(header);
    final List<List<String>> rows = new ArrayList<>();
    final int per = (xs.length + TABLE_ROWS - 1) / TABLE_ROWS;
    for (int from = 0; from < xs.length; from += per) {
      final int to = Math.min(xs.length, from + per);
      final List<String> row = new ArrayList<>();
      row.add(Human.count(table.startOf(from)));
      row.add(Human.count(Math.min(table.startOf(to), steps.count()) - 1));
      row.addAll(cells.of(from, to));
      rows.add(row);
    }
    Section.closeFigure(out, all, rows);
  }

  private void envelope(Plot plot, OverSteps column, String style) {
    if (table.width() > 1) {
      final double[] lows = new double[xs.length];
      final double[] highs = new double[xs.length];
      Arrays.setAll(lows, i -> known(column, i) ? table.min(column.column(), i) : Double.NaN);
      Arrays.setAll(highs, i -> known(column, i) ? table.max(column.column(), i) : Double.NaN);
      plot.band(xs, lows, highs, "band " + style);
    }
    plot.line(xs, means(column), "line " + style);
  }

  private boolean known(OverSteps column, int bucket) {
    return table.count(column.column(), bucket) > 0;
  }

  private double[] means(OverSteps column) {
    final double[] means = new double[xs.length];
    Arrays.setAll(means, i -> table.mean(column.column(), i));
    return means;
  }

  private double mean(OverSteps column, int from, int to) {
    double sum = 0;
    long count = 0;
    for (int i = from; i < to; i++) {
      sum += table.sum(column.column(), i);
      count += table.count(column.column(), i);
    }
    return count == 0 ? Double.NaN : sum / count;
  }

  private double most(OverSteps column, int from, int to) {
    double most = Double.NaN;
    for (int i = from; i < to; i++) {
      if (known(column, i)) {
        final long value = table.max(column.column(), i);
        most = Double.isNaN(most) ? value : Math.max(most, (double) value);
      }
    }
    return most;
  }

  private double total(OverSteps column, int from, int to) {
    double total = 0;
    for (int i = from; i < to; i++) {
      total += table.sum(column.column(), i);
    }
    return total;
  }

  private static double[] sum(double[] a, double[] b) {
    final double[] sum = new double[a.length];
    Arrays.setAll(sum, i -> a[i] + b[i]);
    return sum;
  }

  private static double mean(double[] values) {
    return Arrays.stream(values).average().orElse(Double.NaN);
  }
}
