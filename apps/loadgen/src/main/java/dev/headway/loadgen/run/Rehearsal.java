package dev.headway.loadgen.run;

import dev.headway.loadgen.client.BodyOptions;
import dev.headway.loadgen.client.CannedServer;
import dev.headway.loadgen.client.HttpOptions;
import dev.headway.loadgen.client.HttpTarget;
import dev.headway.loadgen.dataset.BenchRequest;
import dev.headway.loadgen.dataset.PromptMaker;
import dev.headway.simulation.workload.WorkloadRequest;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * A load against a server in this process before the measurement, so that the first requests of it
 * are not late because this program is still being compiled. Stateless.
 */
public final class Rehearsal {

  private static final int REQUESTS = 3_000;
  private static final long GAP_NS = 500_000;
  private static final int ROUNDS = 2;
  private static final double TIMEOUT_SECONDS = 10;
  private static final int PROMPT_TOKENS = 32;
  private static final int OUTPUT_TOKENS = 8;

  private Rehearsal() {}

  /**
   * Sends some thousand requests for two or three seconds.
   *
   * @param bodies as in the measurement
   * @param prompts as in the measurement
   */
  public static void run(BodyOptions bodies, PromptMaker prompts)
      throws IOException, InterruptedException {
    final List<BenchRequest> requests =
        IntStream.range(0, REQUESTS)
            .mapToObj(
                i ->
                    new WorkloadRequest(
                        "rehearsal-" + i, 0, PROMPT_TOKENS, OUTPUT_TOKENS, new int[0], 0, null, 0))
            .map(shape -> new BenchRequest(shape, null))
            .toList();
    final long[] offsetsNs = new long[REQUESTS];
    Arrays.setAll(offsetsNs, i -> i * GAP_NS);
    final RunLimits limits = new RunLimits(0, 0, TIMEOUT_SECONDS, Integer.MAX_VALUE, false);
    try (CannedServer server = new CannedServer();
        HttpTarget target =
            new HttpTarget(
                new HttpOptions(server.address(), Map.of(), null, TIMEOUT_SECONDS, 1), bodies)) {
      for (int round = 0; round < ROUNDS; round++) {
        new LoadRun(
                target,
                prompts,
                requests,
                RunOptions.of(new Arrivals.OpenLoop(offsetsNs), limits, "rehearsal-"),
                done -> {})
            .run();
      }
    }
  }
}
