package dev.headway.examples.recipes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.engine.Engine;
import dev.headway.api.engine.RequestHandle;
import dev.headway.api.engine.RequestOutcome.Finished;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.LoraAdapter;
import dev.headway.scheduler.engine.HeadwayEngine;
import dev.headway.scheduler.sim.LinearLatencyModel;
import dev.headway.scheduler.sim.SimulatedExecutor;
import dev.headway.scheduler.time.VirtualClock;
import dev.headway.testkit.TextGrammar;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class HeldRequestsTest {

  private static final int[] PROMPT = {1, 2, 3};
  private static final int VOCABULARY = 1_000;

  private final VirtualClock clock = new VirtualClock();

  private Engine engine() {
    final ExecutorShape shape =
        ExecutorShape.builder()
            .kvCache(KvCacheShape.builder().blockSize(16).blocks(64).build())
            .maxNumSeqs(8)
            .vocabularySize(VOCABULARY)
            .build();
    return HeadwayEngine.builder(
            new SimulatedExecutor(shape, LinearLatencyModel.LLAMA_3_1_8B_ON_H100, clock, 1))
        .clock(clock)
        .build();
  }

  private static Finished run(Engine engine, RequestHandle handle) {
    while (engine.step()) {
      continue;
    }
    return (Finished) handle.outcome().toCompletableFuture().getNow(null);
  }

  @Test
  void shouldWaitForItsAdapter() {
    final CompletableFuture<Void> loading = new CompletableFuture<>();
    try (Engine engine = engine()) {
      final RequestHandle handle =
          HeldRequests.submit(engine, PROMPT, new LoraAdapter(1, "legal"), loading);
      assertThat(run(engine, handle)).isNull();

      loading.complete(null);

      assertThat(run(engine, handle).reason()).isEqualTo(FinishReason.LENGTH);
    }
  }

  @Test
  void shouldFollowItsGrammar() {
    try (Engine engine = engine()) {
      final RequestHandle handle =
          HeldRequests.submit(
              engine, PROMPT, () -> new TextGrammar(VOCABULARY, 999, 31, 64), Runnable::run);

      assertThat(run(engine, handle).outputTokenIds()).startsWith(999, 31, 64);
    }
  }
}
