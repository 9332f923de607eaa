package dev.headway.cli.journal;

import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.engine.Engine;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.request.Request;
import dev.headway.events.record.JournalLevel;
import dev.headway.probes.chronicle.JournalProbe;
import dev.headway.scheduler.engine.HeadwayEngine;
import dev.headway.scheduler.sim.LinearLatencyModel;
import dev.headway.scheduler.sim.SimulatedExecutor;
import dev.headway.scheduler.time.VirtualClock;
import java.io.IOException;
import java.nio.file.Path;

/** A small run of a real engine: three requests, one seat. */
final class CommandRun {

  private CommandRun() {}

  static void into(Path journal) throws IOException {
    final VirtualClock clock = new VirtualClock();
    final ExecutorShape shape =
        ExecutorShape.builder()
            .kvCache(KvCacheShape.builder().blockSize(16).blocks(64).build())
            .maxNumSeqs(1)
            .vocabularySize(1_000)
            .build();
    final LinearLatencyModel latency = new LinearLatencyModel(1_000, 10, 10, 1);
    try (JournalProbe probe = JournalProbe.open(journal, JournalLevel.FULL);
        Engine engine =
            HeadwayEngine.builder(new SimulatedExecutor(shape, latency, clock, 1))
                .clock(clock)
                .limits(
                    SchedulerLimits.builder()
                        .maxNumSeqs(1)
                        .maxNumBatchedTokens(64)
                        .maxModelLen(128)
                        .build())
                .probe(probe)
                .build()) {
      for (int i = 0; i < 3; i++) {
        engine.submit(Request.builder("r" + i, 1, 2, 3).maxTokens(4).build());
      }
      while (engine.step()) {
        continue;
      }
    }
  }
}
