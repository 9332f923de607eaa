package dev.headway.cli.plan;

import dev.headway.api.step.StepFeatures;
import dev.headway.cli.plan.PlanReport.Row;
import dev.headway.cli.simulate.StepTimesText;
import dev.headway.simulation.fit.ErrorBand;
import dev.headway.simulation.fit.FittedStepTime;
import dev.headway.simulation.fit.Regime;
import dev.headway.simulation.plan.LatencyLimit;
import dev.headway.simulation.plan.LatencyLimits;
import dev.headway.simulation.plan.PlannedMachine;
import dev.headway.simulation.plan.PlannedMachine.RateInterval;
import dev.headway.simulation.plan.RateRun;
import dev.headway.simulation.plan.RateRun.Excess;
import dev.headway.toolbox.text.Human;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What a plan found, in words that text and page share. One thread. */
final class Words {

  /** What limits a rate where no limit is exceeded up to what step times alone allow. */
  static final String STEPS = "steps";

  private static final double FULL_CACHE = 0.95;

  private final PlanReport report;

  Words(PlanReport report) {
    this.report = report;
  }

  /** The answer. */
  String verdict() {
    final String rate = rate(report.wanted()) + " requests/s";
    return report
        .cheapest()
        .map(
            row ->
                "cheapest that keeps to the limits at "
                    + rate
                    + ": "
                    + row.configuration().text()
                    + ": "
                    + cost(row)
                    + ", "
                    + Money.of(report.prices(), report.perMillion(row, report.wanted()))
                    + " per million output tokens")
        .orElseGet(
            () ->
                report.nearest().isEmpty()
                    ? "no configuration can serve: " + String.join("; ", leftOut())
                    : "no configuration keeps to the limits at " + rate);
  }

  /** What follows the answer: the margin, the interval, and what would be needed. */
  List<String> remarks() {
    final List<String> remarks = new ArrayList<>();
    report.cheapest().ifPresent(row -> addMargin(remarks, row));
    if (report.cheapest().isEmpty() && !report.nearest().isEmpty()) {
      final Row nearest = report.nearest().getFirst();
      remarks.add("nearest: " + nearest.configuration().text() + ": " + cost(nearest));
      addMargin(remarks, nearest);
    }
    if (!report.full().isEmpty()) {
      addShort(remarks);
    }
    return remarks;
  }

  private void addMargin(List<String> remarks, Row row) {
    final RateRun run = row.atWanted();
    final PlannedMachine planned = row.planned();
    if (run == null || planned == null) {
      return;
    }
    final Excess worst = report.limits().worst(run);
    remarks.add(
        "at "
            + rate(run.rate())
            + " requests/s "
            + latency(worst.limit(), run)
            + (row.maxRate() > 0
                ? "; up to " + maxRate(row) + " requests/s are within the limits, "
                : "; no rate is within the limits, ")
            + limitedBy(row));
    if (isExtrapolating(row.configuration(), run)) {
      remarks.add(
          "its steps are smaller or larger than what the step model was fitted on: their times, and"
              + " so the rates, are extrapolated");
    }
    final RateInterval interval = planned.interval();
    if (interval != null) {
      remarks.add(
          "with all steps at the slow end of the step model's interval it "
              + (report.limits().areMet(interval.slowAtWanted()) ? "keeps" : "does not keep")
              + " to the limits: "
              + latency(
                  report.limits().worst(interval.slowAtWanted()).limit(), interval.slowAtWanted()));
    }
  }

  /** Whether the model was fitted on other steps than decodes of all that ran at once at most. */
  private boolean isExtrapolating(Configuration configuration, RateRun run) {
    if (configuration.steps() != StepSource.FITTED
        || !(report.grid().engine(configuration).latency() instanceof FittedStepTime model)) {
      return false;
    }
    final StepFeatures decodes = new StepFeatures();
    final int context =
        (int) (report.load().meanInputTokens() + report.load().meanOutputTokens() / 2);
    decodes.addDecodesAt(run.pressure().mostRunning(), context);
    return model.isExtrapolating(decodes);
  }

  private void addShort(List<String> remarks) {
    final double most = report.mostRateOfLoad();
    final boolean isAnswerShort = report.wanted() > most;
    if (isAnswerShort || report.full().stream().anyMatch(row -> row.maxRate() > most)) {
      remarks.add(
          String.format(
              Locale.ROOT,
              "rates above %s requests/s may be overstated%s: the load's %,d requests last less"
                  + " than %s then, too short for a server that falls behind by a twentieth to"
                  + " reach the limit; a longer load says more",
              rate(most),
              isAnswerShort ? ", the wanted one too" : "",
              report.load().size(),
              Human.plainDuration(Math.round(report.load().size() / most * 1e9))));
    }
  }

  /** What it costs for an hour. */
  String cost(Row row) {
    return Money.of(report.prices(), row.configuration().costPerHour()) + " per hour";
  }

  /** The largest rate, with its interval where there is one. */
  String maxRate(Row row) {
    final PlannedMachine planned = row.planned();
    if (planned == null) {
      return "";
    }
    final RateInterval interval = planned.interval();
    final String value = (row.isFull() ? "" : "~") + rate(planned.maxRate());
    return interval == null
        ? value
        : value + " (" + rate(interval.slowRate()) + " to " + rate(interval.fastRate()) + ")";
  }

  /** The cost of a million output tokens at the largest rate, with its interval. */
  String perMillion(Row row) {
    final PlannedMachine planned = row.planned();
    if (planned == null || planned.maxRate() == 0) {
      return "";
    }
    final RateInterval interval = planned.interval();
    final String value = Money.of(report.prices(), report.perMillion(row, planned.maxRate()));
    return interval == null || interval.slowRate() == 0
        ? value
        : value
            + " ("
            + Money.of(report.prices(), report.perMillion(row, interval.fastRate()))
            + " to "
            + Money.of(report.prices(), report.perMillion(row, interval.slowRate()))
            + ")";
  }

  /** What stands against a larger rate. */
  String limitedBy(Row row) {
    final PlannedMachine planned = row.planned();
    if (planned == null) {
      return row.configuration().leftOut();
    }
    return planned.limitedBy() == null
        ? "as many as its step times allow"
        : "limited by " + limit(row);
  }

  /** The limit that the next rate exceeds, and in brackets what was full then. */
  String limit(Row row) {
    final RateRun missed = row.planned() == null ? null : row.planned().limitedBy();
    if (missed == null) {
      return STEPS;
    }
    final String pressure = pressure(row.configuration(), missed);
    return name(report.limits().worst(missed).limit())
        + (pressure.isEmpty() ? "" : " (" + pressure + ")");
  }

  /**
   * What was full in a run: the KV cache, or the seats, as {@code --max-num-seqs} has them; empty
   * if nothing was.
   */
  static String pressure(Configuration configuration, RateRun run) {
    if (run.pressure().preemptions() > 0 || run.pressure().mostKvShare() >= FULL_CACHE) {
      return "KV cache";
    }
    return run.pressure().mostRunning() >= configuration.maxNumSeqs() ? "seats" : "";
  }

  /** A latency against its limit. */
  String latency(LatencyLimit limit, RateRun run) {
    if (limit == LatencyLimit.REFUSED) {
      return String.format(
          Locale.ROOT, "%,d of %,d requests are refused", run.refused(), run.requests());
    }
    final double value = value(limit, run);
    final double most = most(limit);
    return String.format(
        Locale.ROOT,
        "p%s of the %s is %s, %.0f %% of the limit",
        percentile(),
        name(limit),
        Human.plainDuration(Math.round(value)),
        100 * value / most);
  }

  static double value(LatencyLimit limit, RateRun run) {
    return switch (limit) {
      case TTFT -> run.ttftNs();
      case TPOT -> run.tpotNs();
      case E2E -> run.e2eNs();
      case REFUSED -> run.refused();
    };
  }

  /** The limit; 2^63 for none. */
  double most(LatencyLimit limit) {
    return switch (limit) {
      case TTFT -> (double) report.limits().ttftNs();
      case TPOT -> (double) report.limits().tpotNs();
      case E2E -> (double) report.limits().e2eNs();
      case REFUSED -> 0;
    };
  }

  static String name(LatencyLimit limit) {
    return limit == LatencyLimit.REFUSED ? "refusals" : limit.name();
  }

  /** The limits. */
  String limits() {
    final StringBuilder text = new StringBuilder("p" + percentile() + " of ");
    text.append("TTFT <= ").append(Human.plainDuration(report.limits().ttftNs()));
    text.append(", TPOT <= ").append(Human.plainDuration(report.limits().tpotNs()));
    if (report.limits().e2eNs() != LatencyLimits.NONE) {
      text.append(", E2E <= ").append(Human.plainDuration(report.limits().e2eNs()));
    }
    return text.toString();
  }

  String percentile() {
    final double percentile = report.limits().percentile();
    return percentile == Math.rint(percentile)
        ? Long.toString((long) percentile)
        : Double.toString(percentile);
  }

  /** The load. */
  String load() {
    return String.format(
        Locale.ROOT,
        "%s: %,d requests, %,.0f tokens in and %,.0f out on average, %s requests/s as it is",
        report.load().name(),
        report.load().size(),
        report.load().meanInputTokens(),
        report.load().meanOutputTokens(),
        rate(report.load().ratePerSecond()));
  }

  /** How many configurations there were, and how they were looked at. */
  String counts() {
    final long leftOut = report.rows().stream().filter(row -> row.planned() == null).count();
    return String.format(
        Locale.ROOT,
        "%,d configuration%s: %,d simulated in full, %,d from a sample of one instance (~), %,d"
            + " left out",
        report.rows().size(),
        report.rows().size() == 1 ? "" : "s",
        report.full().size(),
        report.rows().size() - report.full().size() - leftOut,
        leftOut);
  }

  /** Why some were left out: each reason once. */
  List<String> leftOut() {
    final Map<String, Integer> counts = new LinkedHashMap<>();
    report.rows().stream()
        .map(row -> row.configuration().leftOut())
        .filter(reason -> !reason.isEmpty())
        .forEach(reason -> counts.merge(reason, 1, Integer::sum));
    return counts.entrySet().stream()
        .map(each -> each.getKey() + ": " + each.getValue() + " left out")
        .toList();
  }

  /** Where the step times of each device are from, and what is known of their error. */
  List<String> stepTimes() {
    final List<String> lines = new ArrayList<>();
    for (String gpu : report.grid().gpus()) {
      final Map<String, List<Integer>> sizes = new LinkedHashMap<>();
      report.rows().stream()
          .filter(row -> row.configuration().gpu().equals(gpu) && row.planned() != null)
          .map(Row::configuration)
          .forEach(
              each -> {
                final List<Integer> of =
                    sizes.computeIfAbsent(steps(each), text -> new ArrayList<>());
                if (!of.contains(each.tensorParallelSize())) {
                  of.add(each.tensorParallelSize());
                }
              });
      sizes.forEach((text, of) -> lines.add(gpu + ", TP " + join(of) + ": " + text));
    }
    return lines;
  }

  private static String join(List<Integer> sizes) {
    return String.join("/", sizes.stream().map(String::valueOf).toList());
  }

  private String steps(Configuration configuration) {
    final String file = String.valueOf(report.grid().stepFile(configuration.gpu()));
    return switch (configuration.steps()) {
      case ROOFLINE ->
          "a roofline of the device's peaks, not the line that simulate takes without --model; no"
              + " interval is known"
              + remark(configuration);
      case KERNELS ->
          "measured kernels of " + file + "; no interval is known" + remark(configuration);
      case FITTED -> "fitted, " + file + fitted(configuration);
    };
  }

  private String remark(Configuration configuration) {
    final String text = StepTimesText.remark(report.grid().engine(configuration).latency());
    return text.isEmpty() ? "" : "; " + text;
  }

  private String fitted(Configuration configuration) {
    if (!(report.grid().engine(configuration).latency() instanceof FittedStepTime model)) {
      return "; no interval is known";
    }
    if (!model.carriedFrom().isEmpty()) {
      return " of "
          + String.join(" and ", model.carriedFrom())
          + "; carried over by shares of the peaks, how far they are off is not known";
    }
    final List<String> bands = new ArrayList<>();
    for (Regime regime : Regime.values()) {
      final ErrorBand band = model.band(regime);
      bands.add(
          regime.label()
              + (Double.isNaN(band.high())
                  ? " not known"
                  : String.format(
                      Locale.ROOT,
                      " %+.0f %% to %+.0f %%",
                      100 * band.low() - 100,
                      100 * band.high() - 100)));
    }
    return remark(configuration)
        + "; nine in ten measured steps against it: "
        + String.join(", ", bands);
  }

  static String rate(double rate) {
    return rate < 10
        ? String.format(Locale.ROOT, "%.2f", rate)
        : String.format(Locale.ROOT, rate < 100 ? "%.1f" : "%,.0f", rate);
  }
}
