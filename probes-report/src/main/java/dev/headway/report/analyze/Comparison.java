package dev.headway.report.analyze;

import dev.headway.toolbox.stats.SortedSample;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

/**
 * Whether two profiles differ. All steps count, warm-up and outliers too.
 *
 * @param rows one per figure
 */
public record Comparison(List<Row> rows) {

  private static final double LOW = 0.025;
  private static final double HIGH = 0.975;
  private static final long SEED = 0x48656164L;

  /** Copies the rows. */
  public Comparison {
    rows = List.copyOf(rows);
  }

  /**
   * A figure of both profiles.
   *
   * @param name as in {@link Figure}
   * @param first of the first profile
   * @param second of the other
   * @param low begin of the 95 % interval of second - first
   * @param high its end
   */
  public record Row(
      String name, String unit, double first, double second, double low, double high) {

    /** The difference in percent of the first. */
    public double changePercent() {
      return 100 * (second - first) / first;
    }

    /** Whether the interval leaves out 0. */
    public boolean isSignificant() {
      return low > 0 || high < 0;
    }
  }

  /** Compares two profiles of at least one step each. */
  public static Comparison of(StepTable first, StepTable second) {
    final Builder rows = new Builder(first, second);
    rows.mean("schedule_mean", "ms", table -> table.scheduleMs);
    rows.p95("schedule_p95", "ms", table -> table.scheduleMs);
    rows.mean("model_run_mean", "ms", table -> table.runMs);
    rows.p95("model_run_p95", "ms", table -> table.runMs);
    rows.mean("total_step_mean", "ms", table -> table.totalMs);
    rows.p95("total_step_p95", "ms", table -> table.totalMs);
    rows.mean("tokens_mean", "", table -> table.tokens);
    rows.mean("prefill_requests_mean", "", table -> table.prefillRequests);
    rows.mean("decode_requests_mean", "", table -> table.decodeRequests);
    rows.mean("waiting_requests_mean", "", table -> table.waiting);
    rows.mean("kv_cache_usage_mean", "", table -> table.kvUsage);
    rows.mean("preemptions_per_step", "", table -> table.preempted);
    rows.quotient("scheduling_share", "", table -> table.scheduleMs, table -> table.totalMs, 1);
    rows.quotient(
        "throughput_busy", "tokens/s", table -> table.tokens, table -> table.totalMs, 1e3);
    return new Comparison(rows.rows);
  }

  private static final class Builder {

    private final List<Row> rows = new ArrayList<>();
    private final StepTable first;
    private final StepTable second;
    private final BlockBootstrap drawsOfFirst;
    private final BlockBootstrap drawsOfSecond;

    Builder(StepTable first, StepTable second) {
      this.first = first;
      this.second = second;
      drawsOfFirst = new BlockBootstrap(first.size(), SEED);
      drawsOfSecond = new BlockBootstrap(second.size(), SEED + 1);
    }

    void mean(String name, String unit, Function<StepTable, Samples> column) {
      add(
          name,
          unit,
          column.apply(first).mean(),
          column.apply(second).mean(),
          drawsOfFirst.means(column.apply(first)),
          drawsOfSecond.means(column.apply(second)));
    }

    void p95(String name, String unit, Function<StepTable, Samples> column) {
      add(
          name,
          unit,
          column.apply(first).sorted().quantile(0.95),
          column.apply(second).sorted().quantile(0.95),
          drawsOfFirst.quantiles(column.apply(first), 0.95),
          drawsOfSecond.quantiles(column.apply(second), 0.95));
    }

    void quotient(
        String name,
        String unit,
        Function<StepTable, Samples> over,
        Function<StepTable, Samples> under,
        double scale) {
      add(
          name,
          unit,
          scale * over.apply(first).sum() / under.apply(first).sum(),
          scale * over.apply(second).sum() / under.apply(second).sum(),
          drawsOfFirst.quotients(over.apply(first), under.apply(first), scale),
          drawsOfSecond.quotients(over.apply(second), under.apply(second), scale));
    }

    private void add(
        String name,
        String unit,
        double ofFirst,
        double ofSecond,
        double[] drawnOfFirst,
        double[] drawnOfSecond) {
      final double[] differences = new double[drawnOfFirst.length];
      Arrays.setAll(differences, i -> drawnOfSecond[i] - drawnOfFirst[i]);
      final SortedSample sorted =
          SortedSample.ofAscending(
              Arrays.stream(differences).filter(Double::isFinite).sorted().toArray());
      rows.add(new Row(name, unit, ofFirst, ofSecond, sorted.quantile(LOW), sorted.quantile(HIGH)));
    }
  }
}
