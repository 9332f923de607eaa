package dev.headway.probes.csv;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.engine.Engine;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.events.record.JournalLevel;
import dev.headway.events.record.RecordVisitor;
import dev.headway.probes.chronicle.JournalProbe;
import dev.headway.probes.chronicle.JournalReader;
import dev.headway.scheduler.core.ContinuousBatchingScheduler;
import dev.headway.scheduler.engine.HeadwayEngine;
import dev.headway.scheduler.time.VirtualClock;
import dev.headway.testkit.scheduler.StalledScheduler;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A run whose requests wait for something that does not come: it leaves little behind. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StalledRunTest {

  private static final int REQUESTS = 101;

  @TempDir private Path temporary;

  @Test
  void shouldLeaveFewRecordsWhileNothingCanBeScheduled() throws Exception {
    final Path journal = temporary.resolve("journal");
    final JournalProbe probe = JournalProbe.open(journal, JournalLevel.FULL);
    final long records;
    final long bytes;
    final long tookMs;
    try (Engine engine = stalled(probe);
        JournalReader reader = JournalReader.openLatest(journal)) {
      for (int i = 0; i < REQUESTS; i++) {
        engine.submit(LiveRun.request("r" + i, 5).maxTokens(1).build());
      }
      while (engine.stats().waiting() < REQUESTS) {
        Thread.onSpinWait();
      }
      read(reader);
      final long recordsBefore = reader.recordsRead();
      final long bytesBefore = reader.bytesRead();
      final long beginNs = System.nanoTime();

      assertThat(new CountDownLatch(1).await(300, TimeUnit.MILLISECONDS)).isFalse();

      read(reader);
      tookMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beginNs);
      records = reader.recordsRead() - recordsBefore;
      bytes = reader.bytesRead() - bytesBefore;
    }

    final long most = 2 * (20 + tookMs / 100); // a plan and its end; with a rest of 1 ms 600
    assertThat(records).as("in %d ms", tookMs).isLessThan(most);
    assertThat(bytes).as("in %d ms", tookMs).isLessThan(most * 256);
  }

  private static void read(JournalReader reader) throws IOException {
    while (reader.poll(new RecordVisitor() {}, Integer.MAX_VALUE) > 0) {
      // what is there now
    }
  }

  /** As if a scheduler of the user's waited for something outside. */
  private static Engine stalled(JournalProbe probe) {
    final ExecutorShape shape =
        ExecutorShape.builder()
            .kvCache(KvCacheShape.builder().blockSize(4).blocks(65).build())
            .maxNumSeqs(8)
            .vocabularySize(1_000)
            .build();
    final Engine engine =
        HeadwayEngine.builder(new PuppetExecutor(shape, new VirtualClock()))
            .limits(
                SchedulerLimits.builder()
                    .maxNumSeqs(8)
                    .maxNumBatchedTokens(64)
                    .maxModelLen(128)
                    .build())
            .scheduler(context -> StalledScheduler.of(ContinuousBatchingScheduler.of(context)))
            .probe(probe)
            .build();
    engine.start(task -> Thread.ofPlatform().daemon().unstarted(task));
    return engine;
  }
}
