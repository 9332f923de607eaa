package dev.headway.cli.simulate;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.simulation.run.RunFigures;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/** The summary of a run for a program: {@code run} is reproducible, {@code machine} is not. */
final class SummaryJson {

  private static final JsonMapper MAPPER = new JsonMapper();

  private SummaryJson() {}

  /**
   * The summary.
   *
   * @param cost what the machine took, or null to leave it out
   */
  static String of(RunFigures figures, @Nullable RunCost cost) {
    final Map<String, Object> json = new LinkedHashMap<>();
    json.put("format", "headway-summary");
    json.put("schema_version", 1);
    json.put("run", run(figures));
    if (cost != null) {
      json.put("machine", machine(cost));
    }
    return MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(json) + "\n";
  }

  private static Map<String, Object> run(RunFigures figures) {
    final Map<String, Object> run = new LinkedHashMap<>();
    run.put("finished", new TreeMap<>(figures.finished()));
    run.put("rejected", new TreeMap<>(figures.rejected()));
    run.put("duration_ns", figures.work().durationNs());
    run.put("busy_ns", figures.work().busyNs());
    run.put("steps", figures.work().steps());
    run.put("empty_steps", figures.work().emptySteps());
    run.put("prompt_tokens", figures.work().promptTokens());
    run.put("output_tokens", figures.work().outputTokens());
    run.put("ttft", percentiles(figures.latencies().ttft()));
    run.put("tpot", percentiles(figures.latencies().tpot()));
    run.put("e2e_latency", percentiles(figures.latencies().endToEnd()));
    run.put("mean_running", figures.memory().meanRunning());
    run.put("kv_blocks_usable", figures.memory().usableBlocks());
    run.put("kv_blocks_mean", figures.memory().meanBlocks());
    run.put("kv_blocks_most", figures.memory().mostBlocks());
    run.put("preemptions", figures.memory().preemptions());
    run.put("recomputed_tokens", figures.memory().recomputedTokens());
    run.put("prefix_queried_tokens", figures.prefixCache().promptTokens());
    run.put("prefix_hit_tokens", figures.prefixCache().hitTokens());
    if (!Double.isNaN(figures.prefixCache().bound())) {
      run.put("prefix_hit_share_bound", figures.prefixCache().bound());
    }
    final Map<String, Long> waited = new LinkedHashMap<>();
    figures.waitedNs().forEach((reason, ns) -> waited.put(reason.label(), ns));
    run.put("waiting_ns", waited);
    final Map<String, Long> roots = new LinkedHashMap<>();
    figures.rootWaitedNs().forEach((reason, ns) -> roots.put(reason.label(), ns));
    run.put("waiting_root_ns", roots);
    run.put("before_queue_ns", figures.beforeQueueNs());
    return run;
  }

  private static Map<String, @Nullable Object> percentiles(RunFigures.Percentiles values) {
    final Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("count", values.count());
    json.put("mean_ns", orNull(values.meanNs()));
    json.put("p50_ns", orNull(values.p50Ns()));
    json.put("p90_ns", orNull(values.p90Ns()));
    json.put("p99_ns", orNull(values.p99Ns()));
    return json;
  }

  private static @Nullable Long orNull(long ns) {
    return ns == ABSENT ? null : ns;
  }

  private static Map<String, Object> machine(RunCost cost) {
    final Map<String, Object> machine = new LinkedHashMap<>();
    machine.put("simulation_ns", cost.simulationNs());
    if (cost.scheduling().count() > 0) {
      machine.put("scheduling", percentiles(cost.scheduling()));
    }
    machine.put("conversion_ns", cost.conversionNs());
    machine.put("csv_rows", cost.csvRows());
    machine.put("peak_resident_bytes", cost.footprint().residentBytes());
    machine.put("peak_heap_bytes", cost.footprint().heapBytes());
    return machine;
  }
}
