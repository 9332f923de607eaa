package dev.headway.examples.customcache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.engine.Engine;
import dev.headway.api.engine.KvCacheContext;
import dev.headway.api.engine.RequestHandle;
import dev.headway.api.engine.SchedulerContext;
import dev.headway.api.executor.Executor;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheManager;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.request.Request;
import dev.headway.api.schedule.Scheduler;
import dev.headway.scheduler.core.ContinuousBatchingScheduler;
import dev.headway.scheduler.engine.HeadwayEngine;
import dev.headway.scheduler.sim.LinearLatencyModel;
import dev.headway.scheduler.sim.SimulatedExecutor;
import dev.headway.scheduler.time.VirtualClock;
import dev.headway.testkit.scheduler.SchedulerContract;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The default scheduler on a cache of one's own: the contract holds, and an engine runs. */
class CustomKvCacheTest extends SchedulerContract {

  @Override
  protected Scheduler create(SchedulerContext context) {
    return ContinuousBatchingScheduler.of(context);
  }

  @Override
  protected KvCacheManager kvCache(KvCacheContext context) {
    return new PlainKvCache(context);
  }

  @Test
  void shouldRunAnEngineThatPreempts() {
    final VirtualClock clock = new VirtualClock();
    final ExecutorShape shape =
        ExecutorShape.builder()
            .kvCache(KvCacheShape.builder().blockSize(4).blocks(21).build())
            .maxNumSeqs(4)
            .vocabularySize(1_000)
            .build();
    final Executor executor =
        new SimulatedExecutor(shape, LinearLatencyModel.LLAMA_3_1_8B_ON_H100, clock, 1);

    // @start region="engine"
    Engine engine =
        HeadwayEngine.builder(executor)
            .clock(clock)
            .limits(
                SchedulerLimits.builder()
                    .maxNumSeqs(4)
                    .maxNumBatchedTokens(32)
                    .maxModelLen(64)
                    .build())
            .kvCache(PlainKvCache::new)
            .build();
    // @end
    final List<RequestHandle> handles = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      handles.add(engine.submit(Request.builder("r" + i, new int[16]).maxTokens(16).build()));
    }
    while (engine.step()) {}

    assertThat(handles).allMatch(RequestHandle::isDone);
    assertThat(engine.stats().finished()).isEqualTo(4);
    assertThat(engine.stats().scheduler().preemptions()).isPositive();
    assertThat(engine.stats().scheduler().prefixHitTokens()).isZero();
    assertThat(engine.stats().kvCache().usableBlocks()).isEqualTo(20);
    assertThat(engine.stats().kvCache().freeBlocks()).isEqualTo(20);
    engine.close();
  }
}
