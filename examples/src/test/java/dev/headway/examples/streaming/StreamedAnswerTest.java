package dev.headway.examples.streaming;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.engine.Engine;
import dev.headway.api.engine.RequestOutcome;
import dev.headway.api.engine.RequestOutcome.Finished;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.request.Request;
import dev.headway.scheduler.engine.HeadwayEngine;
import dev.headway.scheduler.sim.SimulatedExecutor;
import dev.headway.scheduler.time.SystemNanoClock;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StreamedAnswerTest {

  @Test
  void shouldWriteEveryTokenAndReturnTheOutcome() throws InterruptedException {
    final SystemNanoClock clock = new SystemNanoClock();
    final ExecutorShape shape =
        ExecutorShape.builder()
            .kvCache(KvCacheShape.builder().blockSize(16).blocks(64).build())
            .maxNumSeqs(4)
            .vocabularySize(1_000)
            .build();
    final List<Integer> written = new ArrayList<>();

    try (Engine engine =
        HeadwayEngine.builder(new SimulatedExecutor(shape, step -> 1_000, clock, 7)).build()) {
      engine.start(Thread.ofPlatform().daemon().factory());
      final RequestOutcome outcome =
          StreamedAnswer.write(
              engine, Request.builder("r", 1, 2).maxTokens(9).build(), written::add);

      assertThat(written.stream().mapToInt(Integer::intValue).toArray())
          .containsExactly(((Finished) outcome).outputTokenIds())
          .hasSize(9);
    }
  }
}
