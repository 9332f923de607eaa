package dev.headway.probes.csv;

import dev.headway.api.engine.Engine;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.request.Request;
import dev.headway.events.record.JournalLevel;
import dev.headway.probes.chronicle.JournalProbe;
import dev.headway.probes.chronicle.JournalSource;
import dev.headway.probes.csv.option.ConvertOptions;
import dev.headway.scheduler.engine.HeadwayEngine;
import dev.headway.scheduler.sim.LinearLatencyModel;
import dev.headway.scheduler.sim.SimulatedExecutor;
import dev.headway.scheduler.time.VirtualClock;
import java.io.IOException;
import java.nio.file.Path;

/**
 * One request, journalled and converted to CSV: the walk that {@link FilesOfAnEventTest} counts.
 */
final class OneRequest {

  private OneRequest() {}

  /** Writes a journal and its CSV files into the folder given as the only argument. */
  public static void main(String[] arguments) throws IOException {
    final Path folder = Path.of(arguments[0]);
    record(folder.resolve("journal"));
    try (JournalSource source = JournalSource.open(folder.resolve("journal"))) {
      new CsvConverter(
              source, folder.resolve("csv"), ConvertOptions.DEFAULT, (records, rows, done) -> {})
          .convert();
    }
  }

  private static void record(Path journal) throws IOException {
    final VirtualClock clock = new VirtualClock();
    final ExecutorShape shape =
        ExecutorShape.builder()
            .kvCache(KvCacheShape.builder().blockSize(16).blocks(64).build())
            .maxNumSeqs(8)
            .vocabularySize(100)
            .build();
    final LinearLatencyModel latency = new LinearLatencyModel(1_000, 0, 0, 0);
    try (JournalProbe probe = JournalProbe.open(journal, JournalLevel.FULL);
        Engine engine =
            HeadwayEngine.builder(new SimulatedExecutor(shape, latency, clock, 1))
                .clock(clock)
                .probe(probe)
                .build()) {
      engine.submit(Request.builder("hello", 1, 2, 3).maxTokens(4).build());
      while (engine.step()) {
        continue;
      }
    }
  }
}
