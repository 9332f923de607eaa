package dev.headway.cli.plan;

import dev.headway.cli.plan.PlanReport.Row;
import dev.headway.simulation.plan.PlannedMachine;
import dev.headway.simulation.plan.PlannedMachine.RateInterval;
import dev.headway.simulation.plan.RateRun;
import dev.headway.toolbox.csv.CsvTable;
import dev.headway.toolbox.csv.CsvWriter;
import java.io.IOException;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A plan as CSV, a row per configuration; a cell is empty where a value is not known. */
final class PlanCsv {

  private PlanCsv() {}

  static String of(PlanReport report) throws IOException {
    final StringWriter text = new StringWriter();
    final CsvTable<Row> table = CsvTable.of();
    addConfiguration(table, report);
    addRates(table, report);
    addAtWanted(table, report);
    final List<Row> frontier = report.frontier();
    table
        .column("sample_rate", ofPlanned(planned -> number(planned.sampleRate())))
        .column(
            "is_load_short",
            row -> row.planned() == null ? null : flag(row.maxRate() > report.mostRateOfLoad()))
        .column("on_frontier", row -> flag(frontier.contains(row)))
        .column("runs", row -> row.planned() == null ? 0 : row.planned().runs());
    try (CsvWriter<Row> rows = table.writeTo(text)) {
      for (Row row : report.rows()) {
        rows.write(row);
      }
    }
    return text.toString();
  }

  private static void addConfiguration(CsvTable<Row> table, PlanReport report) {
    table
        .column("number", row -> row.configuration().number())
        .column("gpu", row -> row.configuration().gpu())
        .column("tensor_parallel_size", row -> row.configuration().tensorParallelSize())
        .column("instances", row -> row.configuration().instances())
        .column("router", row -> row.configuration().router())
        .column("max_num_seqs", row -> row.configuration().maxNumSeqs())
        .column("max_num_batched_tokens", row -> row.configuration().maxNumBatchedTokens())
        .column("prefix_caching", row -> row.configuration().caching())
        .column("devices", row -> row.configuration().devices())
        .column("cost_per_hour", row -> number(row.configuration().costPerHour()))
        .column("cost_unit", row -> report.prices().areKnown() ? "price" : "device-hours")
        .column("step_times", row -> row.configuration().steps().label())
        .column("stage", row -> row.planned() == null ? "left-out" : row.planned().stage().label())
        .column("left_out", row -> row.configuration().leftOut());
  }

  private static void addRates(CsvTable<Row> table, PlanReport report) {
    table
        .column("max_rate", ofPlanned(planned -> number(planned.maxRate())))
        .column("max_rate_low", ofInterval(interval -> number(interval.slowRate())))
        .column("max_rate_high", ofInterval(interval -> number(interval.fastRate())))
        .column("not_met_at", ofPlanned(planned -> number(planned.notMetAt())))
        .column("limited_by", ofPlanned(planned -> limitedBy(report, planned.limitedBy())))
        .column("pressed_by", PlanCsv::pressedBy)
        .column(
            "cost_per_million_output_tokens_at_max_rate",
            row ->
                row.planned() == null
                    ? null
                    : number(report.perMillion(row, row.planned().maxRate())))
        .column(
            "cost_per_million_output_tokens_low",
            row -> ofInterval(i -> number(report.perMillion(row, i.fastRate()))).apply(row))
        .column(
            "cost_per_million_output_tokens_high",
            row -> ofInterval(i -> number(report.perMillion(row, i.slowRate()))).apply(row));
  }

  private static void addAtWanted(CsvTable<Row> table, PlanReport report) {
    table
        .column("wanted_rate", row -> number(report.wanted()))
        .column(
            "cost_per_million_output_tokens",
            row -> number(report.perMillion(row, report.wanted())))
        .column("meets_limits", row -> row.atWanted() == null ? null : flag(report.meets(row)))
        .column(
            "meets_limits_slow",
            ofInterval(interval -> flag(report.limits().areMet(interval.slowAtWanted()))))
        .column("ttft_ns", atWanted(run -> number(run.ttftNs())))
        .column("tpot_ns", atWanted(run -> number(run.tpotNs())))
        .column("e2e_ns", atWanted(run -> number(run.e2eNs())))
        .column("refused", atWanted(RateRun::refused))
        .column("worst_limit", atWanted(run -> report.limits().worst(run).limit().label()))
        .column("worst_ratio", atWanted(run -> number(report.limits().worst(run).ratio())));
  }

  private static Function<Row, @Nullable Object> ofPlanned(
      Function<PlannedMachine, @Nullable Object> cell) {
    return row -> row.planned() == null ? null : cell.apply(row.planned());
  }

  private static Function<Row, @Nullable Object> ofInterval(
      Function<RateInterval, @Nullable Object> cell) {
    return ofPlanned(planned -> planned.interval() == null ? null : cell.apply(planned.interval()));
  }

  private static Function<Row, @Nullable Object> atWanted(
      Function<RateRun, @Nullable Object> cell) {
    return row -> row.atWanted() == null ? null : cell.apply(row.atWanted());
  }

  private static String limitedBy(PlanReport report, @Nullable RateRun missed) {
    return missed == null ? Words.STEPS : report.limits().worst(missed).limit().label();
  }

  private static @Nullable Object pressedBy(Row row) {
    final RateRun missed = row.planned() == null ? null : row.planned().limitedBy();
    return missed == null ? null : Words.pressure(row.configuration(), missed);
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
