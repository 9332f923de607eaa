package dev.headway.probes.dashboard;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.engine.Engine;
import dev.headway.api.engine.RequestHandle;
import dev.headway.api.engine.RequestOutcome;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.probe.Probe;
import dev.headway.api.request.Request;
import dev.headway.scheduler.engine.EngineBuilder;
import dev.headway.scheduler.engine.HeadwayEngine;
import dev.headway.scheduler.sim.LinearLatencyModel;
import dev.headway.scheduler.sim.SimulatedExecutor;
import dev.headway.scheduler.time.VirtualClock;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/** A real engine in virtual time, with too few seats and too few KV blocks. */
public final class BusyEngine {

  public static final int REQUESTS = 40;
  public static final int SEATS = 8;
  private static final int OUTPUTS = 60;

  private BusyEngine() {}

  /** Runs it to the end; the outcomes of the requests, in the order of submission. */
  public static List<RequestOutcome.Finished> run(Probe probe) {
    return run(engine -> engine.probe(probe));
  }

  /** The same, of an engine that is given more before it is built. */
  public static List<RequestOutcome.Finished> run(UnaryOperator<EngineBuilder> watched) {
    final VirtualClock clock = new VirtualClock();
    final ExecutorShape shape =
        ExecutorShape.builder()
            .kvCache(KvCacheShape.builder().blockSize(16).blocks(24).build())
            .maxNumSeqs(SEATS)
            .vocabularySize(1_000)
            .build();
    final LinearLatencyModel latency = new LinearLatencyModel(5_000_000, 20_000, 100_000, 10);
    final SchedulerConfig config =
        SchedulerConfig.builder(
                SchedulerLimits.builder()
                    .maxNumSeqs(SEATS)
                    .maxNumBatchedTokens(64)
                    .maxModelLen(512)
                    .build())
            .build();
    final List<RequestHandle> handles = new ArrayList<>();
    try (Engine engine =
        watched
            .apply(
                HeadwayEngine.builder(new SimulatedExecutor(shape, latency, clock, 7))
                    .config(config)
                    .clock(clock)
                    .attribute("model", "toy"))
            .build()) {
      for (int i = 0; i < REQUESTS; i++) {
        handles.add(engine.submit(Request.builder("r" + i, prompt(i)).maxTokens(OUTPUTS).build()));
      }
      while (engine.step()) {
        // until all have ended
      }
    }
    return handles.stream()
        .map(handle -> (RequestOutcome.Finished) handle.outcome().toCompletableFuture().join())
        .toList();
  }

  private static int[] prompt(int i) {
    final int[] prompt = new int[20 + i];
    for (int token = 0; token < prompt.length; token++) {
      prompt[token] = 1 + (i * 31 + token) % 900;
    }
    return prompt;
  }
}
