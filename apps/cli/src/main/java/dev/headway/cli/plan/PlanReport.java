package dev.headway.cli.plan;

import dev.headway.simulation.plan.LatencyLimits;
import dev.headway.simulation.plan.PlanLoad;
import dev.headway.simulation.plan.PlannedMachine;
import dev.headway.simulation.plan.PlannedMachine.Stage;
import dev.headway.simulation.plan.RateRun;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What came of a plan, for text, CSV and page. Immutable. */
final class PlanReport {

  /** A load is too short for a rate if it lasts less than so many times the limit of the TTFT. */
  private static final double TTFT_LIMITS = 20;

  private final PlanGrid grid;
  private final PlanLoad load;
  private final LatencyLimits limits;
  private final double wanted;
  private final List<Row> rows;

  /** A configuration and what is known of it; null if it was left out. */
  record Row(Configuration configuration, @Nullable PlannedMachine planned) {

    /** Whether it was simulated in full. */
    boolean isFull() {
      return planned != null && planned.stage() == Stage.FULL;
    }

    double maxRate() {
      return planned == null ? 0 : planned.maxRate();
    }

    @Nullable RateRun atWanted() {
      return planned == null ? null : planned.atWanted();
    }
  }

  PlanReport(
      PlanGrid grid,
      PlanLoad load,
      LatencyLimits limits,
      double wanted,
      List<PlannedMachine> planned) {
    this.grid = grid;
    this.load = load;
    this.limits = limits;
    this.wanted = wanted;
    final Map<Integer, PlannedMachine> byNumber =
        planned.stream()
            .collect(Collectors.toMap(each -> each.candidate().number(), Function.identity()));
    rows =
        grid.configurations().stream()
            .map(each -> new Row(each, byNumber.get(each.number())))
            .toList();
  }

  PlanGrid grid() {
    return grid;
  }

  PlanLoad load() {
    return load;
  }

  LatencyLimits limits() {
    return limits;
  }

  /** Requests per second that are to be sustained. */
  double wanted() {
    return wanted;
  }

  Prices prices() {
    return grid.prices();
  }

  /** All configurations. */
  List<Row> rows() {
    return rows;
  }

  /** Those that were simulated in full. */
  List<Row> full() {
    return rows.stream().filter(Row::isFull).toList();
  }

  /** Whether it keeps to the limits at the wanted rate; of what was not simulated in full false. */
  boolean meets(Row row) {
    final RateRun run = row.atWanted();
    return run != null && limits.areMet(run);
  }

  /** The most used limit at the wanted rate, over 1 where it is exceeded; infinite if not known. */
  double worst(Row row) {
    final RateRun run = row.atWanted();
    return run == null ? Double.POSITIVE_INFINITY : limits.worst(run).ratio();
  }

  /** Those that keep to the limits, the cheapest first, of equal ones the one with most in hand. */
  List<Row> meeting() {
    return full().stream()
        .filter(this::meets)
        .sorted(
            Comparator.comparingDouble((Row row) -> row.configuration().costPerHour())
                .thenComparingDouble(row -> -row.maxRate())
                .thenComparingInt(row -> row.configuration().number()))
        .toList();
  }

  /** The others, the one that exceeds limits least first. */
  List<Row> nearest() {
    return full().stream()
        .filter(row -> !meets(row))
        .sorted(
            Comparator.comparingDouble(this::worst)
                .thenComparingDouble(row -> row.configuration().costPerHour())
                .thenComparingInt(row -> row.configuration().number()))
        .toList();
  }

  /** The cheapest that keeps to the limits. */
  Optional<Row> cheapest() {
    return meeting().stream().findFirst();
  }

  /** Of those in full the ones that no cheaper one equals in rate, by rate. */
  List<Row> frontier() {
    final List<Row> byCost =
        full().stream()
            .filter(row -> row.maxRate() > 0)
            .sorted(
                Comparator.comparingDouble((Row row) -> row.configuration().costPerHour())
                    .thenComparingDouble(row -> -row.maxRate())
                    .thenComparingInt(row -> row.configuration().number()))
            .toList();
    final List<Row> frontier = new ArrayList<>();
    for (Row row : byCost) {
      if (frontier.isEmpty() || row.maxRate() > frontier.getLast().maxRate()) {
        frontier.add(row);
      }
    }
    return frontier;
  }

  /** What a million output tokens cost at a rate. */
  double perMillion(Row row, double rate) {
    return Money.perMillion(row.configuration().costPerHour(), rate, load.meanOutputTokens());
  }

  /**
   * The rate up to which the load is long enough to tell: a server that falls behind by a twentieth
   * gets to the limit of the TTFT before it ends.
   */
  double mostRateOfLoad() {
    return load.size() * 1e9 / (TTFT_LIMITS * limits.ttftNs());
  }
}
