package dev.headway.simulation.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.engine.Engine;
import dev.headway.api.engine.EngineStats;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.scheduler.engine.HeadwayEngine;
import dev.headway.scheduler.sim.LinearLatencyModel;
import dev.headway.scheduler.sim.SimulatedExecutor;
import dev.headway.scheduler.time.VirtualClock;
import dev.headway.simulation.workload.PromptTokens;
import dev.headway.simulation.workload.SyntheticWorkload;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class WorkloadDriverTest {

  private final VirtualClock clock = new VirtualClock();
  private final PromptTokens prompts = new PromptTokens(1_000, 1);
  private final List<Long> arrivalsNs = new ArrayList<>();

  private WorkloadDriver driver(Engine engine, int requests) {
    return new WorkloadDriver(
        engine,
        clock,
        SyntheticWorkload.builder().requests(requests).ratePerSecond(2).build(),
        prompts,
        request -> arrivalsNs.add(request.arrivalNs()));
  }

  @Test
  void shouldSubmitRequestsWhenTheyAreDueAndEndWithTheLast() {
    final ExecutorShape shape =
        ExecutorShape.builder()
            .kvCache(KvCacheShape.builder().blockSize(16).blocks(8_192).build())
            .maxNumSeqs(8)
            .vocabularySize(1_000)
            .build();
    final LinearLatencyModel latency = new LinearLatencyModel(1_000_000, 1_000, 1_000, 0);
    try (Engine engine =
        HeadwayEngine.builder(new SimulatedExecutor(shape, latency, clock, 1))
            .clock(clock)
            .limits(
                SchedulerLimits.builder()
                    .maxNumSeqs(8)
                    .maxNumBatchedTokens(2_048)
                    .maxModelLen(16_384)
                    .build())
            .build()) {
      driver(engine, 20).run(() -> {});

      assertThat(engine.stats().submitted()).isEqualTo(20);
      assertThat(engine.stats().finished()).isEqualTo(20);
    }
    assertThat(arrivalsNs).hasSize(20).isSorted();
    assertThat(clock.nanoTime()).isGreaterThan(arrivalsNs.get(19));
  }

  @Test
  void shouldSayWhenNothingCanProgress() {
    final Engine stuck =
        (Engine)
            Proxy.newProxyInstance(
                Engine.class.getClassLoader(),
                new Class<?>[] {Engine.class},
                (proxy, method, arguments) ->
                    switch (method.getName()) {
                      case "step" -> false;
                      case "stats" ->
                          EngineStats.builder()
                              .submitted(3)
                              .finished(1)
                              .waiting(2)
                              .steps(5)
                              .build();
                      default -> null;
                    });

    assertThatThrownBy(() -> driver(stuck, 0).run(() -> {}))
        .isInstanceOf(SimulationException.class)
        .hasMessage(
            "the run makes no progress: no step can run and no request is to come: waiting=2,"
                + " running=0, finished=1, steps=5, simulatedNs=0; more KV blocks (--num-blocks)"
                + " or a smaller --watermark may help");
  }
}
