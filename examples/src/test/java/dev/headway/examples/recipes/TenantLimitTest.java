package dev.headway.examples.recipes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.engine.Engine;
import dev.headway.api.engine.RequestHandle;
import dev.headway.api.engine.RequestOutcome;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.policy.Policies;
import dev.headway.api.request.Request;
import dev.headway.api.schedule.WaitReason;
import dev.headway.scheduler.engine.HeadwayEngine;
import dev.headway.scheduler.sim.LinearLatencyModel;
import dev.headway.scheduler.sim.SimulatedExecutor;
import dev.headway.scheduler.time.VirtualClock;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TenantLimitTest {

  @Test
  void shouldLetOtherTenantsPass() {
    final VirtualClock clock = new VirtualClock();
    final ExecutorShape shape =
        ExecutorShape.builder()
            .kvCache(KvCacheShape.builder().blockSize(16).blocks(64).build())
            .maxNumSeqs(8)
            .vocabularySize(1_000)
            .build();
    final List<RequestHandle> greedy = new ArrayList<>();
    final RequestHandle modest;
    try (Engine engine =
        HeadwayEngine.builder(
                new SimulatedExecutor(shape, LinearLatencyModel.LLAMA_3_1_8B_ON_H100, clock, 1))
            .clock(clock)
            .policies(Policies.builder().gate(new TenantLimit(2)).build())
            .build()) {
      for (int i = 0; i < 6; i++) {
        greedy.add(engine.submit(request("greedy-" + i, "greedy")));
      }
      modest = engine.submit(request("modest", "modest"));
      while (engine.step()) {
        // until all have ended
      }
    }

    assertThat(greedy).allSatisfy(handle -> assertThat(outcome(handle)).isNotNull());
    assertThat(outcome(modest).waits().ns(WaitReason.POLICY_DEFERRED)).isZero();
    assertThat(outcome(greedy.get(5)).waits().ns(WaitReason.POLICY_DEFERRED)).isPositive();
    assertThat(outcome(modest).finishedNs()).isLessThan(outcome(greedy.get(2)).finishedNs());
  }

  private static Request request(String id, String tenant) {
    return Request.builder(id, 1, 2, 3).tenant(tenant).maxTokens(20).build();
  }

  private static RequestOutcome.Finished outcome(RequestHandle handle) {
    return (RequestOutcome.Finished) handle.outcome().toCompletableFuture().join();
  }
}
