package dev.headway.examples.customexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.engine.Engine;
import dev.headway.api.engine.TokenListener;
import dev.headway.api.executor.Executor;
import dev.headway.api.request.Request;
import dev.headway.scheduler.engine.HeadwayEngine;
import dev.headway.testkit.executor.ExecutorContract;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

// @start region="contract"
class HashExecutorTest extends ExecutorContract {

  @Override
  protected Executor create() {
    return new HashExecutor();
  }

  @Override
  protected boolean computesTokens() {
    return true; // from what its blocks hold
  }

  // @end

  @Test
  void shouldAnswerEqualPromptsAlikeThatShareBlocks() {
    final List<Integer> first = new ArrayList<>();
    final List<Integer> second = new ArrayList<>();
    try (Engine engine =
        HeadwayEngine.builder(new HashExecutor())
            .limits(
                SchedulerLimits.builder()
                    .maxNumSeqs(4)
                    .maxNumBatchedTokens(16)
                    .maxModelLen(64)
                    .build())
            .build()) {
      engine.submit(asking("first"), adding(first));
      engine.submit(asking("second"), adding(second));
      while (engine.step()) {}

      assertThat(engine.stats().scheduler().prefixHitTokens()).isPositive();
    }

    assertThat(first).hasSize(6).isEqualTo(second);
  }

  private static Request asking(String id) {
    return Request.builder(id, 1, 2, 3, 4, 5, 6, 7, 8, 9).maxTokens(6).build();
  }

  private static TokenListener adding(List<Integer> tokens) {
    return new TokenListener() {
      @Override
      public void onToken(int index, int tokenId) {
        tokens.add(tokenId);
      }
    };
  }
}
