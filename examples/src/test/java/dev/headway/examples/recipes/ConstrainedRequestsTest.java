package dev.headway.examples.recipes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.engine.Engine;
import dev.headway.api.engine.RequestHandle;
import dev.headway.api.engine.RequestOutcome.Finished;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.request.FinishReason;
import dev.headway.grammar.GrammarBackend;
import dev.headway.scheduler.engine.HeadwayEngine;
import dev.headway.scheduler.sim.LinearLatencyModel;
import dev.headway.scheduler.sim.SimulatedExecutor;
import dev.headway.scheduler.time.SystemNanoClock;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class ConstrainedRequestsTest {

  private static final int END = 256;

  @Test
  void shouldAnswerJsonOfTheSchema() throws InterruptedException {
    final SystemNanoClock clock = new SystemNanoClock();
    final ExecutorShape shape =
        ExecutorShape.builder()
            .kvCache(KvCacheShape.builder().blockSize(16).blocks(64).build())
            .maxNumSeqs(4)
            .vocabularySize(END + 1)
            .build();
    final SimulatedExecutor executor =
        new SimulatedExecutor(shape, new LinearLatencyModel(1_000, 0, 0, 0), clock, 3);
    try (GrammarBackend grammars =
            ConstrainedRequests.backend(END + 1, token -> new byte[] {(byte) token}, END);
        Engine engine = HeadwayEngine.builder(executor).clock(clock).build()) {
      engine.start(Thread.ofPlatform().factory());

      final RequestHandle handle =
          ConstrainedRequests.submit(
              engine,
              grammars,
              new int[] {1, 2, 3},
              "{\"type\":\"array\",\"maxItems\":3,\"items\":{\"enum\":[\"a\",true]}}",
              END);

      final Finished end = (Finished) handle.await();
      final StringBuilder text = new StringBuilder();
      for (int token : end.outputTokenIds()) {
        text.append(
            token == END ? "" : new String(new byte[] {(byte) token}, StandardCharsets.UTF_8));
      }
      assertThat(end.reason()).isEqualTo(FinishReason.STOP);
      assertThat(text).matches("\\[((\"a\"|true)(, ?(\"a\"|true)){0,2})?]");
    }
  }
}
