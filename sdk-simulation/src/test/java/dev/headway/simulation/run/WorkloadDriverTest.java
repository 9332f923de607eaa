package dev.headway.simulation.run;

import static dev.headway.api.Absent.ABSENT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.engine.Engine;
import dev.headway.api.engine.EngineStats;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.policy.AdmissionGate;
import dev.headway.api.policy.Policies;
import dev.headway.api.policy.StepView;
import dev.headway.api.request.Hold;
import dev.headway.api.request.HoldReason;
import dev.headway.api.request.RequestView;
import dev.headway.events.model.RequestTimeline;
import dev.headway.events.record.FinishedRecord;
import dev.headway.events.record.RejectedRecord;
import dev.headway.scheduler.engine.HeadwayEngine;
import dev.headway.scheduler.sim.LinearLatencyModel;
import dev.headway.scheduler.sim.SimulatedExecutor;
import dev.headway.scheduler.time.VirtualClock;
import dev.headway.simulation.workload.PromptTokens;
import dev.headway.simulation.workload.SyntheticWorkload;
import dev.headway.simulation.workload.WorkloadRequest;
import dev.headway.simulation.workload.Workloads;
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
            prompts)
        .onSubmitted(request -> arrivalsNs.add(request.arrivalNs()));
  }

  @Test
  void shouldSubmitRequestsWhenTheyAreDueAndEndWithTheLast() {
    try (Engine engine = engine(new RunMeter())) {
      driver(engine, 20).run(() -> {});

      assertThat(engine.stats().submitted()).isEqualTo(20);
      assertThat(engine.stats().finished()).isEqualTo(20);
    }
    assertThat(arrivalsNs).hasSize(20).isSorted();
    assertThat(clock.nanoTime()).isGreaterThan(arrivalsNs.get(19));
  }

  /** As on the wall clock, where an engine is there some time before its first request. */
  @Test
  void shouldCountWhatARunLastsFromItsStart() {
    final long startNs = 5_000_000_000L;
    final RunMeter meter = new RunMeter();
    try (Engine engine = engine(meter)) {
      clock.sleepUntil(startNs);
      final WorkloadDriver driver = driver(engine, 20);
      driver.run(() -> {});

      assertThat(driver.startNs()).isEqualTo(startNs);
      meter.startedAt(driver.startNs());
    }
    assertThat(meter.figures(new PrefixBound()).work().durationNs())
        .isEqualTo(clock.nanoTime() - startNs);
  }

  /** With nothing else to do, time passes up to the end of a hold. */
  @Test
  void shouldWaitForRequestsThatAPolicyHoldsUntilAnInstant() {
    final long openNs = 60_000_000_000L;
    final AdmissionGate gate =
        new AdmissionGate() {
          @Override
          public Verdict admit(RequestView request, StepView step) {
            return step.nowNs() < openNs ? Verdict.HOLD : Verdict.ADMIT;
          }

          @Override
          public Hold hold(RequestView request, StepView step) {
            return Hold.untilNs(HoldReason.EXTERNAL, openNs);
          }
        };
    try (Engine engine = engine(new RunMeter(), Policies.builder().gate(gate).build())) {
      driver(engine, 20).run(() -> {});

      assertThat(engine.stats().finished()).isEqualTo(20);
    }
    assertThat(clock.nanoTime()).isBetween(openNs, openNs + 5_000_000_000L);
  }

  private Engine engine(RunMeter meter) {
    return engine(meter, Policies.NONE);
  }

  private Engine engine(RunMeter meter, Policies policies) {
    final ExecutorShape shape =
        ExecutorShape.builder()
            .kvCache(KvCacheShape.builder().blockSize(16).blocks(8_192).build())
            .maxNumSeqs(8)
            .vocabularySize(1_000)
            .build();
    final LinearLatencyModel latency = new LinearLatencyModel(1_000_000, 1_000, 1_000, 0);
    return HeadwayEngine.builder(new SimulatedExecutor(shape, latency, clock, 1))
        .clock(clock)
        .probe(meter.probe())
        .policies(policies)
        .limits(
            SchedulerLimits.builder()
                .maxNumSeqs(8)
                .maxNumBatchedTokens(2_048)
                .maxModelLen(16_384)
                .build())
        .build();
  }

  @Test
  void shouldQueueRequestsLaterThanTheyArrive() {
    final long[] atOnce = ttftsNs(0);
    final long[] later = ttftsNs(3_000_000);

    assertThat(atOnce).hasSize(3).containsOnly(11_000_000); // 1 ms, and 10 for the prompt
    assertThat(later).hasSize(3).containsOnly(14_000_000);
  }

  private static long[] ttftsNs(long arrivalToQueueNs) {
    final VirtualClock virtual = new VirtualClock();
    final EngineSettings settings =
        new EngineSettings(
            SchedulerConfig.builder(
                    SchedulerLimits.builder()
                        .maxNumSeqs(8)
                        .maxNumBatchedTokens(2_048)
                        .maxModelLen(16_384)
                        .build())
                .build(),
            KvCacheShape.builder().blockSize(16).blocks(1_000).build(),
            new LinearLatencyModel(1_000_000, 10_000, 1_000, 0),
            1);
    final List<Long> ttfts = new ArrayList<>();
    final RunMeter meter =
        new RunMeter(
            new RunMeter.RequestEnds() {
              @Override
              public void finished(RequestTimeline request, FinishedRecord end) {
                ttfts.add(request.ttftNs());
              }

              @Override
              public void rejected(RejectedRecord rejection) {}
            });
    final List<WorkloadRequest> requests = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      requests.add(
          new WorkloadRequest("r" + i, i * 1_000_000_000L, 1_000, 1, new int[0], 0, null, 0));
    }
    try (Engine engine = settings.engine(virtual, "", of -> of).probe(meter.probe()).build()) {
      new WorkloadDriver(
              engine, virtual, Workloads.of("three", requests), new PromptTokens(1_000, 1))
          .withArrivalToQueue(arrivalToQueueNs)
          .run(() -> {});
    }
    return ttfts.stream().mapToLong(Long::longValue).toArray();
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
                      case "nextDeadlineNs" -> ABSENT;
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
