package dev.headway.loadgen.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.engine.Engine;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.loadgen.dataset.Dataset;
import dev.headway.loadgen.dataset.Prompt;
import dev.headway.loadgen.dataset.PromptMaker;
import dev.headway.loadgen.run.Arrivals;
import dev.headway.loadgen.run.LoadRun;
import dev.headway.loadgen.run.RunLimits;
import dev.headway.loadgen.run.RunOptions;
import dev.headway.loadgen.run.RunResult;
import dev.headway.scheduler.engine.HeadwayEngine;
import dev.headway.scheduler.sim.LinearLatencyModel;
import dev.headway.scheduler.sim.SimulatedExecutor;
import dev.headway.scheduler.time.SystemNanoClock;
import dev.headway.simulation.compare.Load;
import dev.headway.simulation.workload.TraceFormat;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class EngineTargetTest {

  private static final int VOCABULARY = 1_000;

  private static Engine engine() {
    final SystemNanoClock clock = new SystemNanoClock();
    final ExecutorShape shape =
        ExecutorShape.builder()
            .kvCache(KvCacheShape.builder().blockSize(16).blocks(512).build())
            .maxNumSeqs(16)
            .vocabularySize(VOCABULARY)
            .build();
    final Engine engine =
        HeadwayEngine.builder(
                new SimulatedExecutor(shape, LinearLatencyModel.LLAMA_3_1_8B_ON_H100, clock, 1))
            .clock(clock)
            .build();
    engine.start(Thread.ofPlatform().daemon().name("engine-under-test").factory());
    return engine;
  }

  private static RunResult run(Engine engine, String load, RunLimits limits) throws Exception {
    final Dataset dataset = Dataset.read(new Load(load, TraceFormat.AUTO, 1, -1, 0), null, 1);
    try (EngineTarget target = new EngineTarget(engine, true)) {
      return new LoadRun(
              target,
              new PromptMaker(VOCABULARY, 1, PromptMaker.Form.IDS),
              dataset.requests(),
              new RunOptions(
                  new Arrivals.OpenLoop(dataset.arrivalsNs()), limits, 1, true, 0, false, "e-"),
              done -> {})
          .run();
    }
  }

  @Test
  void shouldMeasureAnEngineInTheSameProcess() throws Exception {
    try (Engine engine = engine()) {
      final RunResult result =
          run(engine, "random(requests=12,input-len=32,output-len=5,rate=200)", RunLimits.NONE);

      assertThat(result.failed()).isZero();
      assertThat(result.samples())
          .hasSize(12)
          .allSatisfy(
              sample -> {
                assertThat(sample.outputTokens()).isEqualTo(5);
                assertThat(sample.itl()).hasSize(4);
                assertThat(sample.ttft()).isPositive();
              });
    }
  }

  @Test
  void shouldEndWhatTheEngineHasWhenTheTimeIsUp() throws Exception {
    try (Engine engine = engine()) {
      final RunResult result =
          run(
              engine,
              "random(requests=4,input-len=32,output-len=4000)",
              new RunLimits(0, 0, 0.3, 100, false));

      assertThat(result.aborted()).isEqualTo(4);
      assertThat(engine.stats().running()).as("nothing is left behind").isZero();
    }
  }

  @Test
  void shouldSayWhyTheEngineRefuses() throws Exception {
    final CountDownLatch over = new CountDownLatch(1);
    final Exchange exchange = new Exchange(false, done -> over.countDown());
    try (Engine engine = engine();
        EngineTarget target = new EngineTarget(engine, true)) {

      target.send(
          new Call("late", () -> new Prompt.Tokens(new int[] {VOCABULARY}), 1, 1, 0, null),
          exchange);

      assertThat(over.await(10, TimeUnit.SECONDS)).isTrue();
      assertThat(exchange.status()).isEqualTo(Exchange.Status.ERROR);
      assertThat(exchange.error()).contains(Integer.toString(VOCABULARY));
    }
  }
}
