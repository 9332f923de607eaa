package dev.headway.examples.customscheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.engine.Engine;
import dev.headway.api.engine.KvCacheContext;
import dev.headway.api.engine.RequestHandle;
import dev.headway.api.engine.SchedulerContext;
import dev.headway.api.engine.SchedulerFactory;
import dev.headway.api.executor.Executor;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheManager;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.probe.PlannedEvent;
import dev.headway.api.probe.Probe;
import dev.headway.api.request.Request;
import dev.headway.api.schedule.Scheduler;
import dev.headway.api.support.SimpleScheduler;
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
    final Executor executor = executor(clock);
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

  /** What a step cannot be is refused where it is planned. */
  @Test
  void shouldRefuseToPlanARequestTwice() {
    final Engine engine = engine(new VirtualClock(), TwiceInAStep::new);
    engine.submit(Request.builder("r", new int[16]).maxTokens(3).build());

    assertThatThrownBy(engine::step)
        .hasStackTraceContaining("a step computes a running request once, and tokens that it lacks")
        .hasStackTraceContaining("id=r, status=RUNNING, tokens=1, lackingTokens=15");
  }

  private static final class TwiceInAStep extends SimpleScheduler {

    TwiceInAStep(SchedulerContext context) {
      super(context);
    }

    @Override
    protected void planStep() {
      final Scheduled head = head();
      if (head != null && admit(head)) {
        schedule(head, 1);
        schedule(head, 1);
      }
    }
  }

  private static Engine engine(VirtualClock clock, SchedulerFactory scheduler) {
    return HeadwayEngine.builder(executor(clock)).clock(clock).scheduler(scheduler).build();
  }

  private static Executor executor(VirtualClock clock) {
    final ExecutorShape shape =
        ExecutorShape.builder()
            .kvCache(KvCacheShape.builder().blockSize(16).blocks(129).build())
            .maxNumSeqs(4)
            .vocabularySize(1_000)
            .build();
    return new SimulatedExecutor(shape, LinearLatencyModel.LLAMA_3_1_8B_ON_H100, clock, 1);
  }
}
