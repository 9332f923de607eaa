package dev.headway.cli.plan;

import dev.headway.cli.plan.PlanReport.Row;
import dev.headway.simulation.plan.PlannedMachine;
import dev.headway.simulation.plan.RateRun;
import dev.headway.simulation.plan.RateRun.Excess;
import java.io.IOException;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.List;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVPrinter;
import org.jspecify.annotations.Nullable;

/** A plan as CSV, a row per configuration; a cell is empty where a value is not known. */
final class PlanCsv {

  private static final CSVFormat FORMAT =
      CSVFormat.RFC4180
          .builder()
          .setRecordSeparator('\n')
          .setHeader(
              "number",
              "gpu",
              "tensor_parallel_size",
              "instances",
              "router",
              "max_num_seqs",
              "max_num_batched_tokens",
              "prefix_caching",
              "devices",
              "cost_per_hour",
              "cost_unit",
              "step_times",
              "stage",
              "left_out",
              "max_rate",
              "max_rate_low",
              "max_rate_high",
              "not_met_at",
              "limited_by",
              "pressed_by",
              "cost_per_million_output_tokens_at_max_rate",
              "cost_per_million_output_tokens_low",
              "cost_per_million_output_tokens_high",
              "wanted_rate",
              "cost_per_million_output_tokens",
              "meets_limits",
              "meets_limits_slow",
              "ttft_ns",
              "tpot_ns",
              "e2e_ns",
              "refused",
              "worst_limit",
              "worst_ratio",
              "sample_rate",
              "is_load_short",
              "on_frontier",
              "runs")
          .get();

  private PlanCsv() {}

  static String of(PlanReport report) throws IOException {
    final StringWriter text = new StringWriter();
    final List<Row> frontier = report.frontier();
    try (CSVPrinter rows = new CSVPrinter(text, FORMAT)) {
      for (Row row : report.rows()) {
        rows.printRecord(values(report, row, frontier.contains(row)));
      }
    }
    return text.toString();
  }

  private static List<@Nullable Object> values(PlanReport report, Row row, boolean isFrontier) {
    final List<@Nullable Object> values = configuration(report, row.configuration());
    final PlannedMachine planned = row.planned();
    values.add(planned == null ? "left-out" : planned.stage().label());
    values.add(row.configuration().leftOut());
    addRates(values, report, row);
    addAtWanted(values, report, row);
    values.add(planned == null ? null : number(planned.sampleRate()));
    values.add(planned == null ? null : flag(row.maxRate() > report.mostRateOfLoad()));
    values.add(flag(isFrontier));
    values.add(planned == null ? 0 : planned.runs());
    return values;
  }

  private static List<@Nullable Object> configuration(PlanReport report, Configuration each) {
    final List<@Nullable Object> values = new ArrayList<>();
    values.add(each.number());
    values.add(each.gpu());
    values.add(each.tensorParallelSize());
    values.add(each.instances());
    values.add(each.router());
    values.add(each.maxNumSeqs());
    values.add(each.maxNumBatchedTokens());
    values.add(each.caching());
    values.add(each.devices());
    values.add(number(each.costPerHour()));
    values.add(report.prices().areKnown() ? "price" : "device-hours");
    values.add(each.steps().label());
    return values;
  }

  private static void addRates(List<@Nullable Object> values, PlanReport report, Row row) {
    final PlannedMachine planned = row.planned();
    final PlannedMachine.@Nullable RateInterval interval =
        planned == null ? null : planned.interval();
    final RateRun missed = planned == null ? null : planned.limitedBy();
    values.add(planned == null ? null : number(planned.maxRate()));
    values.add(interval == null ? null : number(interval.slowRate()));
    values.add(interval == null ? null : number(interval.fastRate()));
    values.add(planned == null ? null : number(planned.notMetAt()));
    values.add(planned == null ? null : limitedBy(report, missed));
    values.add(missed == null ? null : Words.pressure(row.configuration(), missed));
    values.add(planned == null ? null : number(report.perMillion(row, planned.maxRate())));
    values.add(interval == null ? null : number(report.perMillion(row, interval.fastRate())));
    values.add(interval == null ? null : number(report.perMillion(row, interval.slowRate())));
  }

  private static String limitedBy(PlanReport report, @Nullable RateRun missed) {
    return missed == null ? Words.STEPS : report.limits().worst(missed).limit().label();
  }

  private static void addAtWanted(List<@Nullable Object> values, PlanReport report, Row row) {
    final RateRun run = row.atWanted();
    final PlannedMachine planned = row.planned();
    final Excess worst = run == null ? null : report.limits().worst(run);
    values.add(number(report.wanted()));
    values.add(number(report.perMillion(row, report.wanted())));
    values.add(run == null ? null : flag(report.meets(row)));
    values.add(
        planned == null || planned.interval() == null
            ? null
            : flag(report.limits().areMet(planned.interval().slowAtWanted())));
    values.add(run == null ? null : number(run.ttftNs()));
    values.add(run == null ? null : number(run.tpotNs()));
    values.add(run == null ? null : number(run.e2eNs()));
    values.add(run == null ? null : run.refused());
    values.add(worst == null ? null : worst.limit().label());
    values.add(worst == null ? null : number(worst.ratio()));
  }

  private static int flag(boolean value) {
    return value ? 1 : 0;
  }

  private static @Nullable String number(double value) {
    return Double.isNaN(value) || Double.isInfinite(value)
        ? null
        : BigDecimal.valueOf(value).round(new MathContext(12)).stripTrailingZeros().toPlainString();
  }
}
