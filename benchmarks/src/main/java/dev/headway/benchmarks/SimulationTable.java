package dev.headway.benchmarks;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.scheduler.sim.LinearLatencyModel;
import dev.headway.simulation.fleet.FleetRun;
import dev.headway.simulation.fleet.FleetSettings;
import dev.headway.simulation.run.EngineSettings;
import dev.headway.simulation.run.RunMeter;
import dev.headway.simulation.workload.Workload;
import dev.headway.simulation.workload.generated.NamedLoads;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * What a whole simulation takes in a JVM that has run it before: one instance, then four behind a
 * router, each at the same load per instance. Prints a row for each with the first run of the JVM,
 * and the fastest, the median and the slowest of those after it. Not a JMH benchmark: a run takes a
 * good part of a second, and its first is of interest too.
 */
public final class SimulationTable {

  private static final int RUNS = 11;
  private static final int RATE_PER_INSTANCE = 30;
  private static final String ROW = "%-10s %-42s %9s %9s %9s %9s%n";

  private SimulationTable() {}

  /**
   * Prints the table.
   *
   * @param args how many requests; 10,000 if empty
   */
  public static void main(String[] args) {
    final int requests = args.length > 0 ? Integer.parseInt(args[0]) : 10_000;
    System.out.printf(ROW, "instances", "load", "first ms", "min ms", "p50 ms", "max ms");
    for (int instances : new int[] {1, 4}) {
      final String load =
          "chatbot(rate=%d,requests=%d)".formatted(RATE_PER_INSTANCE * instances, requests);
      final double firstMs = runMs(instances, load);
      final double[] ms = new double[RUNS];
      Arrays.setAll(ms, run -> runMs(instances, load));
      Arrays.sort(ms);
      System.out.printf(
          Locale.ROOT,
          ROW,
          instances,
          load,
          whole(firstMs),
          whole(ms[0]),
          whole(ms[RUNS / 2]),
          whole(ms[RUNS - 1]));
    }
  }

  private static String whole(double ms) {
    return String.format(Locale.ROOT, "%.0f", ms);
  }

  private static double runMs(int instances, String load) {
    final EngineSettings settings = usualSettings();
    final long startNs = System.nanoTime();
    try (Workload workload = NamedLoads.open(load)) {
      if (instances == 1) {
        settings.run("table", workload, new RunMeter().probe());
      } else {
        new FleetRun(
                new FleetSettings(
                    settings, instances, "least-load", FleetSettings.DEFAULT_SIGNAL_DELAY_NS),
                List.of())
            .run(workload, done -> {});
      }
    }
    return (System.nanoTime() - startNs) / 1e6;
  }

  /** As {@code headway simulate} has them. */
  static EngineSettings usualSettings() {
    final SchedulerLimits limits =
        SchedulerLimits.builder()
            .maxNumSeqs(256)
            .maxNumBatchedTokens(8_192)
            .maxModelLen(32_768)
            .build();
    return new EngineSettings(
        SchedulerConfig.builder(limits).build(),
        KvCacheShape.builder().blockSize(16).blocks(30_720).build(),
        LinearLatencyModel.LLAMA_3_1_8B_ON_H100,
        1);
  }
}
