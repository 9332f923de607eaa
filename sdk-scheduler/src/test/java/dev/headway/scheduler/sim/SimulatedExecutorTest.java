package dev.headway.scheduler.sim;

import static dev.headway.api.Absent.ABSENT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.engine.Engine;
import dev.headway.api.engine.RequestHandle;
import dev.headway.api.engine.RequestOutcome.Finished;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.probe.PlannedEvent;
import dev.headway.api.probe.Probe;
import dev.headway.api.probe.StepCompletedEvent;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.Request;
import dev.headway.api.schedule.ResetScope;
import dev.headway.api.step.StepFeatures;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import dev.headway.scheduler.engine.HeadwayEngine;
import dev.headway.scheduler.time.SystemNanoClock;
import dev.headway.scheduler.time.VirtualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The stand-in for a model: how long it takes, and which tokens it makes up. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SimulatedExecutorTest {

  private static final ExecutorShape SHAPE =
      ExecutorShape.builder()
          .kvCache(KvCacheShape.builder().blockSize(4).blocks(257).build())
          .maxNumSeqs(8)
          .vocabularySize(1_000)
          .build();
  private static final LinearLatencyModel LATENCY =
      new LinearLatencyModel(1_000_000, 10_000, 300, 7);

  private final VirtualClock clock = new VirtualClock();

  @Test
  void shouldTakeAsLongAsTheFormulaSays() {
    final List<Long> stepNs = new ArrayList<>();
    final Engine engine =
        engine(
            1,
            SchedulerLimits.builder()
                .maxNumSeqs(8)
                .maxNumBatchedTokens(16)
                .maxModelLen(128)
                .build(),
            durations(stepNs));

    engine.submit(request("a", 20, 3)); // chunks of 16 and 4, then decodes
    engine.step();
    engine.submit(request("b", 5, 2));
    engine.step();
    engine.step();
    engine.step();
    engine.step();

    final long fixed = 1_000_000;
    final long chunk = 16 * 10_000 + 16 * 7;
    final long restAndPrompt = (4 + 5) * 10_000 + (20 + 5) * 7;
    final long twoDecodes = 2 * 300 + (21 + 6) * 7;
    final long decode = 300 + 22 * 7;
    assertThat(stepNs)
        .containsExactly(
            fixed + chunk, fixed + restAndPrompt, fixed + twoDecodes, fixed + decode, 0L);
    assertThat(clock.nanoTime()).isEqualTo(stepNs.stream().mapToLong(Long::longValue).sum());
  }

  @Test
  void shouldCountARecomputationAsPrefill() {
    final List<Long> stepNs = new ArrayList<>();
    final Engine engine =
        engine(
            1,
            SchedulerLimits.builder()
                .maxNumSeqs(8)
                .maxNumBatchedTokens(16)
                .maxModelLen(128)
                .build(),
            durations(stepNs));
    engine.submit(request("a", 9, 8));
    engine.step();
    engine.step();

    engine.resetPrefixCache(ResetScope.PREEMPT_RUNNING);
    engine.step(); // 9 prompt and 2 output tokens again

    assertThat(stepNs.getLast()).isEqualTo(1_000_000 + 11 * 10_000 + 11 * 7);
  }

  @Test
  void shouldReportItsTimeAsTheForwardPass() {
    final AtomicReference<StepOutput> output = new AtomicReference<>();
    final Probe probe =
        new Probe() {
          @Override
          public void onStepCompleted(StepCompletedEvent event) {
            output.set(event.output());
          }
        };
    final Engine engine =
        engine(
            1,
            SchedulerLimits.builder()
                .maxNumSeqs(8)
                .maxNumBatchedTokens(16)
                .maxModelLen(128)
                .build(),
            probe);
    engine.submit(request("a", 4, 1));

    engine.step();

    assertThat(output.get().forwardNs()).isEqualTo(1_000_000 + 4 * 10_000 + 4 * 7);
    assertThat(output.get().prepareNs()).isEqualTo(ABSENT);
    assertThat(output.get().sampleNs()).isEqualTo(ABSENT);
  }

  @Test
  void shouldAnswerTheSameTokensInEveryRun() {
    final List<int[]> first =
        runAll(
            engine(
                42,
                SchedulerLimits.builder()
                    .maxNumSeqs(8)
                    .maxNumBatchedTokens(64)
                    .maxModelLen(128)
                    .build()),
            false);
    final List<int[]> second =
        runAll(
            engine(
                42,
                SchedulerLimits.builder()
                    .maxNumSeqs(8)
                    .maxNumBatchedTokens(64)
                    .maxModelLen(128)
                    .build()),
            false);

    assertThat(second).usingRecursiveComparison().isEqualTo(first);
  }

  @Test
  void shouldAnswerOtherTokensForAnotherSeed() {
    final List<int[]> first =
        runAll(
            engine(
                42,
                SchedulerLimits.builder()
                    .maxNumSeqs(8)
                    .maxNumBatchedTokens(64)
                    .maxModelLen(128)
                    .build()),
            false);
    final List<int[]> other =
        runAll(
            engine(
                43,
                SchedulerLimits.builder()
                    .maxNumSeqs(8)
                    .maxNumBatchedTokens(64)
                    .maxModelLen(128)
                    .build()),
            false);

    for (int i = 0; i < first.size(); i++) {
      assertThat(other.get(i)).isNotEqualTo(first.get(i));
    }
  }

  @Test
  void shouldAnswerTheSameTokensWhateverTheBatchingChunkingAndPreemption() {
    final List<int[]> together =
        runAll(
            engine(
                42,
                SchedulerLimits.builder()
                    .maxNumSeqs(8)
                    .maxNumBatchedTokens(64)
                    .maxModelLen(128)
                    .build()),
            false);

    final List<int[]> alone =
        runAll(
            engine(
                42,
                SchedulerLimits.builder()
                    .maxNumSeqs(1)
                    .maxNumBatchedTokens(64)
                    .maxModelLen(128)
                    .build()),
            false);
    final List<int[]> chunked =
        runAll(
            engine(
                42,
                SchedulerLimits.builder()
                    .maxNumSeqs(3)
                    .maxNumBatchedTokens(3)
                    .maxModelLen(128)
                    .build()),
            false);
    final List<int[]> preempted =
        runAll(
            engine(
                42,
                SchedulerLimits.builder()
                    .maxNumSeqs(8)
                    .maxNumBatchedTokens(64)
                    .maxModelLen(128)
                    .build()),
            true);

    assertThat(alone).usingRecursiveComparison().isEqualTo(together);
    assertThat(chunked).usingRecursiveComparison().isEqualTo(together);
    assertThat(preempted).usingRecursiveComparison().isEqualTo(together);
  }

  @Test
  void shouldKeepTokensInTheVocabularyAndSpreadThem() {
    final List<int[]> tokens =
        runAll(
            engine(
                7,
                SchedulerLimits.builder()
                    .maxNumSeqs(8)
                    .maxNumBatchedTokens(64)
                    .maxModelLen(128)
                    .build()),
            false);

    final int[] all = tokens.stream().flatMapToInt(Arrays::stream).toArray();
    assertThat(Arrays.stream(all)).allMatch(token -> token >= 0 && token < SHAPE.vocabularySize());
    assertThat(Arrays.stream(all).distinct().count()).isGreaterThan(all.length / 2);
  }

  @Test
  void shouldAnswerLateWhenTheStepTakesLongerThanTheTimeout() {
    final Engine engine =
        HeadwayEngine.builder(new SimulatedExecutor(SHAPE, LATENCY, clock, 1))
            .limits(
                SchedulerLimits.builder()
                    .maxNumSeqs(8)
                    .maxNumBatchedTokens(64)
                    .maxModelLen(128)
                    .build())
            .clock(clock)
            .executorTimeout(Duration.ofNanos(600_000))
            .build();
    final RequestHandle handle = engine.submit(request("a", 4, 2));

    engine.step();
    final long gaveUpNs = clock.nanoTime();
    engine.step(); // the answer to the first step

    assertThat(gaveUpNs).isEqualTo(600_000);
    final Finished finished = (Finished) handle.outcome().toCompletableFuture().join();
    assertThat(finished.reason()).isEqualTo(FinishReason.EXECUTOR_FAILED);
    assertThat(finished.cause()).isInstanceOf(TimeoutException.class);
    assertThat(clock.nanoTime()).isEqualTo(1_000_000 + 4 * 10_000 + 4 * 7);
  }

  @Test
  void shouldTakeOneStepAtATime() throws Exception {
    final AtomicReference<StepPlan> plan = new AtomicReference<>();
    final Probe probe =
        new Probe() {
          @Override
          public void onPlanned(PlannedEvent event) {
            plan.set(event.plan());
          }
        };
    final Engine engine =
        engine(
            1,
            SchedulerLimits.builder()
                .maxNumSeqs(8)
                .maxNumBatchedTokens(64)
                .maxModelLen(128)
                .build(),
            probe);
    engine.submit(request("a", 4, 1));
    engine.step();
    final SimulatedExecutor executor = new SimulatedExecutor(SHAPE, LATENCY, clock, 1);
    final StepOutput output = new StepOutput();

    assertThatThrownBy(() -> executor.await(output, 1))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("no step is out");
    executor.submit(plan.get());
    assertThatThrownBy(() -> executor.submit(plan.get()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "steps out must be <= maxStepsInFlight: oldest=1, submitted=1, maxStepsInFlight=1");
    output.begin(1, plan.get().size());
    assertThat(executor.await(output, Long.MAX_VALUE)).isTrue();
    assertThatThrownBy(() -> executor.await(output, 1)).hasMessage("no step is out");
    executor.submit(plan.get());
    executor.close();
  }

  @Test
  void shouldEndTheWaitOfAnInterruptedThread() {
    final SystemNanoClock real = new SystemNanoClock();
    final LinearLatencyModel slow = new LinearLatencyModel(TimeUnit.HOURS.toNanos(1), 0, 0, 0);
    final Engine engine =
        HeadwayEngine.builder(new SimulatedExecutor(SHAPE, slow, real, 1))
            .limits(
                SchedulerLimits.builder()
                    .maxNumSeqs(8)
                    .maxNumBatchedTokens(64)
                    .maxModelLen(128)
                    .build())
            .clock(real)
            .build();
    final RequestHandle handle = engine.submit(request("a", 4, 2));

    Thread.currentThread().interrupt();
    engine.step();

    assertThat(Thread.interrupted()).isTrue();
    final Finished finished = (Finished) handle.outcome().toCompletableFuture().join();
    assertThat(finished.cause()).isInstanceOf(InterruptedException.class);
    engine.close();
  }

  @Test
  void shouldRefuseNegativeLatencies() {
    assertThatThrownBy(() -> new LinearLatencyModel(-1, 0, 0, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("fixedNs must be >= 0: fixedNs=-1");
    assertThatThrownBy(() -> new LinearLatencyModel(0, -1, 0, 0))
        .hasMessage("prefillTokenNs must be >= 0: prefillTokenNs=-1");
    assertThatThrownBy(() -> new LinearLatencyModel(0, 0, -1, 0))
        .hasMessage("decodeSequenceNs must be >= 0: decodeSequenceNs=-1");
    assertThatThrownBy(() -> new LinearLatencyModel(0, 0, 0, -1))
        .hasMessage("kvTokenReadNs must be >= 0: kvTokenReadNs=-1");
    assertThatThrownBy(() -> new LinearLatencyModel(0, 0, 0, 0, -1))
        .hasMessage("blockTransferNs must be >= 0: blockTransferNs=-1");
  }

  @Test
  void shouldChargeADraftLikeATokenOfAPrompt() {
    final StepFeatures step = new StepFeatures();
    step.addDecode(4, 20);
    step.addDecode(1, 30);

    assertThat(LATENCY.stepNs(step)).isEqualTo(1_000_000 + 3 * 10_000 + 2 * 300 + (24 + 31) * 7);
  }

  @Test
  void shouldTakeOnlyTheTimeOfTransfersWithoutEntries() {
    final StepFeatures step = new StepFeatures();
    step.addTransfers(2, 3);

    assertThat(new LinearLatencyModel(1_000, 0, 0, 0, 11).stepNs(step)).isEqualTo(55);
  }

  @Test
  void shouldMoveABlockOfLlamaOverPcieInFortyTwoMicroseconds() {
    final LinearLatencyModel model =
        LinearLatencyModel.LLAMA_3_1_8B_ON_H100.withTransfersOverPcie5(2 << 20);

    assertThat(model.blockTransferNs()).isEqualTo(41_943); // 2 MiB at 50 GB/s
    assertThat(LinearLatencyModel.LLAMA_3_1_8B_ON_H100.blockTransferNs()).isZero();
  }

  private Engine engine(long seed, SchedulerLimits limits, Probe... probes) {
    final VirtualClock time = probes.length == 0 ? new VirtualClock() : clock;
    final var builder =
        HeadwayEngine.builder(new SimulatedExecutor(SHAPE, LATENCY, time, seed))
            .config(SchedulerConfig.builder(limits).build())
            .clock(time);
    for (Probe probe : probes) {
      builder.probe(probe);
    }
    return builder.build();
  }

  private static Probe durations(List<Long> stepNs) {
    return new Probe() {
      @Override
      public void onStepCompleted(StepCompletedEvent event) {
        stepNs.add(event.outputNs() - event.submitNs());
      }
    };
  }

  private static List<int[]> runAll(Engine engine, boolean resets) {
    final List<RequestHandle> handles = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      handles.add(engine.submit(request("r" + i, 3 + 5 * i, 4 + i)));
    }
    int steps = 0;
    while (engine.step()) {
      if (resets && ++steps % 5 == 0 && steps < 100) {
        engine.resetPrefixCache(ResetScope.PREEMPT_RUNNING);
      }
    }
    return handles.stream()
        .map(handle -> (Finished) handle.outcome().toCompletableFuture().join())
        .map(Finished::outputTokenIds)
        .toList();
  }

  private static Request request(String id, int promptTokens, int outputs) {
    final int[] prompt = new int[promptTokens];
    Arrays.setAll(prompt, i -> Math.floorMod(id.hashCode() + i, 1_000));
    return Request.builder(id, prompt).maxTokens(outputs).build();
  }
}
