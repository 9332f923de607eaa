package dev.headway.examples.customscheduler;

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
import dev.headway.api.probe.PlannedEvent;
import dev.headway.api.probe.Probe;
import dev.headway.api.request.Request;
import dev.headway.api.schedule.Scheduler;
import dev.headway.examples.customcache.PlainKvCache;
import dev.headway.scheduler.engine.HeadwayEngine;
import dev.headway.scheduler.sim.LinearLatencyModel;
import dev.headway.scheduler.sim.SimulatedExecutor;
import dev.headway.scheduler.time.VirtualClock;
import dev.headway.testkit.scheduler.SchedulerContract;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

// @start region="contract"
/** A scheduler of one's own keeps the contract, and an engine runs it. */
class CustomSchedulerTest extends SchedulerContract {

  @Override
  protected Scheduler create(SchedulerContext context) {
    return new PromptFirstScheduler(context);
  }

  @Override
  protected KvCacheManager kvCache(KvCacheContext context) {
    return new PlainKvCache(context);
  }

  @Override
  protected boolean explainsWaits() {
    return false; // it tells no reasons
  }

  // @end

  @Test
  void shouldRunAnEngineOnTheDefaultCache() {
    final VirtualClock clock = new VirtualClock();
    final ExecutorShape shape =
        ExecutorShape.builder()
            .kvCache(KvCacheShape.builder().blockSize(16).blocks(129).build())
            .maxNumSeqs(4)
            .vocabularySize(1_000)
            .build();
    final Executor executor =
        new SimulatedExecutor(shape, LinearLatencyModel.LLAMA_3_1_8B_ON_H100, clock, 1);
    final List<Integer> entries = new ArrayList<>();
    final Probe probe =
        new Probe() {
          @Override
          public void onPlanned(PlannedEvent event) {
            entries.add(event.plan().size());
          }
        };

    // @start region="engine"
    Engine engine =
        HeadwayEngine.builder(executor)
            .clock(clock)
            .limits(
                SchedulerLimits.builder()
                    .maxNumSeqs(4)
                    .maxNumBatchedTokens(64)
                    .maxModelLen(256)
                    .build())
            .scheduler(PromptFirstScheduler::new)
            .probe(probe)
            .build();
    // @end
    final List<RequestHandle> handles = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      handles.add(engine.submit(Request.builder("r" + i, new int[16]).maxTokens(3).build()));
    }
    while (engine.step()) {}

    assertThat(handles).allMatch(RequestHandle::isDone);
    assertThat(engine.stats().scheduler().finished()).isEqualTo(3);
    assertThat(entries).startsWith(1, 1, 1, 3, 3); // three prompts, then they decode together
    engine.close();
  }
}
