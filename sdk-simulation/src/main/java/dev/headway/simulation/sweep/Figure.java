package dev.headway.simulation.sweep;

import dev.headway.simulation.run.RunFigures.Percentiles;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A figure in every row, whatever the plan. Whole numbers are what was counted; decimals are
 * derived from whole numbers of the same row, or are means over time.
 *
 * @param column its column
 * @param value takes it: a Long, a Double or null
 */
record Figure(SweepColumn column, Function<CellFigures, ? extends @Nullable Object> value) {

  /** All of them, in the order of the columns. */
  static final List<Figure> ALL =
      Stream.of(
              requests().stream(),
              work().stream(),
              latency("ttft", "Arrival to first token", f -> f.run().latencies().ttft()).stream(),
              latency("tpot", "Mean time per further token", f -> f.run().latencies().tpot())
                  .stream(),
              latency("e2e", "Arrival to the end", f -> f.run().latencies().endToEnd()).stream(),
              quality().stream(),
              memory().stream())
          .flatMap(figures -> figures)
          .toList();

  private static List<Figure> requests() {
    return List.of(
        counted("requests_finished", "Requests that ended.", f -> f.run().finishedTotal()),
        counted("requests_rejected", "Requests that were refused.", f -> f.run().rejectedTotal()),
        of(
            "requests_within_limits",
            ColumnKind.INTEGER,
            "Those that got all their tokens within the limits; empty without limits.",
            f -> f.hasLimits() ? f.withinLimits() : null));
  }

  private static List<Figure> work() {
    return List.of(
        counted("steps", "Steps that computed something.", f -> f.run().work().steps()),
        counted(
            "duration_ns",
            "Start of the load to the end of the last step.",
            f -> f.run().work().durationNs()),
        counted("busy_ns", "Time in steps that computed something.", f -> f.run().work().busyNs()),
        counted(
            "prompt_tokens", "Prompts of requests that ended.", f -> f.run().work().promptTokens()),
        counted("output_tokens", "Their outputs.", f -> f.run().work().outputTokens()),
        derived(
            "output_tokens_per_s",
            "Outputs per second of the run.",
            f -> f.run().work().perSecond(f.run().work().outputTokens())));
  }

  /** Empty if no request has it. */
  private static List<Figure> latency(
      String name, String what, Function<CellFigures, Percentiles> latency) {
    return List.of(
        latency(name + "_mean_ns", what + ", mean.", latency, Percentiles::meanNs),
        latency(name + "_p50_ns", what + ", median.", latency, Percentiles::p50Ns),
        latency(name + "_p90_ns", what + ", 90th percentile.", latency, Percentiles::p90Ns),
        latency(name + "_p99_ns", what + ", 99th percentile.", latency, Percentiles::p99Ns));
  }

  private static Figure latency(
      String name,
      String description,
      Function<CellFigures, Percentiles> latency,
      ToLongFunction<Percentiles> value) {
    return of(
        name,
        ColumnKind.INTEGER,
        description,
        figures -> {
          final Percentiles percentiles = latency.apply(figures);
          return percentiles.count() == 0 ? null : value.applyAsLong(percentiles);
        });
  }

  private static List<Figure> quality() {
    return List.of(
        derived(
            "goodput_share",
            "Requests within the limits, of all that came; empty without limits.",
            f -> f.hasLimits() ? (double) f.withinLimits() / f.requests() : null),
        derived(
            "goodput_rps",
            "Requests within the limits per second of the run; empty without limits.",
            f -> f.hasLimits() ? f.run().work().perSecond(f.withinLimits()) : null),
        of(
            "meets_limits",
            ColumnKind.INTEGER,
            "1 if at least the asked share of requests was within the limits, else 0; empty"
                + " without limits.",
            f -> f.hasLimits() ? f.meetsLimits() ? 1L : 0L : null),
        counted("gpus", "How many GPUs serve.", f -> f.setup().devices()),
        derived(
            "cost_per_million_output_tokens",
            "GPUs, times their price, times the run's duration, per million output tokens; empty"
                + " without a price.",
            CellFigures::costPerMillionOutputTokens));
  }

  private static List<Figure> memory() {
    return List.of(
        counted(
            "preemptions",
            "How often a request lost its blocks.",
            f -> f.run().memory().preemptions()),
        counted(
            "recomputed_tokens",
            "Tokens computed again because of that.",
            f -> f.run().memory().recomputedTokens()),
        counted(
            "prefix_queried_tokens",
            "Prompt tokens of first admissions.",
            f -> f.run().prefixCache().promptTokens()),
        counted(
            "prefix_hit_tokens",
            "Those of them found in the prefix cache.",
            f -> f.run().prefixCache().hitTokens()),
        derived(
            "running_mean",
            "Requests running, mean over busy time.",
            f -> f.run().memory().meanRunning()),
        counted("kv_blocks_usable", "Size of the KV cache.", f -> f.run().memory().usableBlocks()),
        derived(
            "kv_blocks_mean",
            "Blocks in use, mean over busy time.",
            f -> f.run().memory().meanBlocks()),
        counted("kv_blocks_most", "Most blocks in use.", f -> f.run().memory().mostBlocks()),
        counted(
            "waited_ns", "Time in the queue, over all requests.", f -> f.run().waitedTotalNs()));
  }

  private static Figure counted(
      String name, String description, ToLongFunction<CellFigures> value) {
    return of(name, ColumnKind.INTEGER, description, value::applyAsLong);
  }

  /** Empty where it is no number. */
  private static Figure derived(
      String name, String description, Function<CellFigures, @Nullable Double> value) {
    return of(
        name,
        ColumnKind.DECIMAL,
        description,
        figures -> {
          final Double number = value.apply(figures);
          return number == null || !Double.isFinite(number) ? null : number;
        });
  }

  private static Figure of(
      String name,
      ColumnKind kind,
      String description,
      Function<CellFigures, ? extends @Nullable Object> value) {
    return new Figure(new SweepColumn(name, kind, description), value);
  }
}
