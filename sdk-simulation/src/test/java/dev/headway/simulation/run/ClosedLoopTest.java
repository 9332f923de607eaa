package dev.headway.simulation.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.engine.Engine;
import dev.headway.api.engine.TokenListener;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.probe.PlannedEvent;
import dev.headway.api.probe.Probe;
import dev.headway.api.request.Request;
import dev.headway.scheduler.sim.LinearLatencyModel;
import dev.headway.scheduler.time.VirtualClock;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Clients that wait for their answer before they ask again. */
class ClosedLoopTest {

  @Test
  void shouldKeepSoManyRequestsAliveUntilNoneIsLeft() {
    final List<Integer> alive = new ArrayList<>();
    final Probe probe =
        new Probe() {
          @Override
          public void onPlanned(PlannedEvent event) {
            alive.add(event.runningCount() + event.waitingCount());
          }
        };
    final List<String> sent = new ArrayList<>();

    try (Engine engine = engine(probe)) {
      new ClosedLoop(
              engine,
              3,
              IntStream.range(0, 10).mapToObj(ClosedLoopTest::request).iterator(),
              request -> {
                sent.add(request.id());
                return TokenListener.NONE;
              })
          .run();

      assertThat(engine.stats().finished()).isEqualTo(10);
    }

    assertThat(sent).hasSize(10).startsWith("r0", "r1", "r2", "r3");
    assertThat(alive).allMatch(count -> count <= 3);
    assertThat(alive.subList(0, 8)).as("while there are more").allMatch(count -> count == 3);
  }

  @Test
  void shouldRefuseALoopWithoutClients() {
    try (Engine engine = engine(new Probe() {})) {
      assertThatThrownBy(
              () ->
                  new ClosedLoop(engine, 0, List.<Request>of().iterator(), r -> TokenListener.NONE))
          .hasMessageContaining("clients must be >= 1: clients=0");
    }
  }

  /** One longer than the other, so that they end at different times. */
  private static Request request(int number) {
    return Request.builder("r" + number, number, 2, 3).maxTokens(4 + number % 3).build();
  }

  private static Engine engine(Probe probe) {
    final SchedulerLimits limits =
        SchedulerLimits.builder().maxNumSeqs(8).maxNumBatchedTokens(64).maxModelLen(64).build();
    return new EngineSettings(
            SchedulerConfig.builder(limits).build(),
            KvCacheShape.builder().blockSize(16).blocks(65).build(),
            LinearLatencyModel.LLAMA_3_1_8B_ON_H100,
            1)
        .engine(new VirtualClock(), "closed loop", model -> model)
        .probe(probe)
        .build();
  }
}
