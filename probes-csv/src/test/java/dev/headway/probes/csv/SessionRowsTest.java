package dev.headway.probes.csv;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.engine.Engine;
import dev.headway.api.engine.RequestHandle;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.request.Request;
import dev.headway.api.request.SessionInput;
import dev.headway.api.request.StopRule;
import dev.headway.events.record.JournalLevel;
import dev.headway.probes.chronicle.JournalProbe;
import dev.headway.probes.chronicle.JournalSource;
import dev.headway.probes.csv.check.TimingCheck;
import dev.headway.probes.csv.check.Verdict.Status;
import dev.headway.probes.csv.option.ConvertOptions;
import dev.headway.scheduler.engine.HeadwayEngine;
import dev.headway.scheduler.sim.LinearLatencyModel;
import dev.headway.scheduler.sim.SimulatedExecutor;
import dev.headway.scheduler.time.VirtualClock;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the files say of a session. */
class SessionRowsTest {

  @TempDir private Path temporary;

  @Test
  void shouldTellTheTurnsOfASession() throws Exception {
    final Path journal = temporary.resolve("journal");
    final VirtualClock clock = new VirtualClock();
    final ExecutorShape shape =
        ExecutorShape.builder()
            .kvCache(KvCacheShape.builder().blockSize(4).blocks(17).build())
            .maxNumSeqs(4)
            .vocabularySize(1_000)
            .build();
    try (JournalProbe probe = JournalProbe.open(journal, JournalLevel.FULL);
        Engine engine =
            HeadwayEngine.builder(
                    new SimulatedExecutor(shape, new LinearLatencyModel(1_000, 10, 5, 1), clock, 1))
                .clock(clock)
                .limits(
                    SchedulerLimits.builder()
                        .maxNumSeqs(4)
                        .maxNumBatchedTokens(64)
                        .maxModelLen(64)
                        .build())
                .probe(probe)
                .build()) {
      final RequestHandle session =
          engine.submit(Request.builder("s", 1, 2, 3, 4, 5).maxTokens(3).resumable().build());
      converse(engine, session, clock, 700);
      converse(engine, session, clock, 300);
      // takes the blocks of the session, which is computed again with its last input
      engine.submit(Request.builder("other", new int[60]).maxTokens(2).build());
      converse(engine, session, clock, 10_000);
      session.endInput();
      runUntilIdle(engine);
    }

    final Path csv = temporary.resolve("out");
    try (JournalSource source = JournalSource.open(journal)) {
      new CsvConverter(source, csv, ConvertOptions.DEFAULT, (records, rows, done) -> {}).convert();
    }

    final Map<String, String> row = new CsvResult(csv).request("s");
    assertThat(row)
        .containsEntry("input_wait_count", "4")
        .containsEntry("output_tokens", String.valueOf(3 + 3 * 2))
        .containsEntry("waiting_streaming_input_ns", row.get("waiting_time"))
        .containsEntry("preemption_count", "1");
    assertThat(Long.parseLong(row.get("waiting_time"))).isGreaterThan(700 + 300 + 10_000);
    assertThat(TimingCheck.run(csv)).noneMatch(verdict -> verdict.status() == Status.FAIL);
  }

  /** A turn ends, and after a while there is further input. */
  private static void converse(
      Engine engine, RequestHandle session, VirtualClock clock, long afterNs) {
    runUntilIdle(engine);
    clock.advance(afterNs);
    session.append(SessionInput.of(StopRule.maxTokens(2), 7, 8, 9));
    runUntilIdle(engine);
  }

  private static void runUntilIdle(Engine engine) {
    while (engine.step()) {
      continue;
    }
  }
}
