package dev.headway.scheduler.sim;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.headway.api.config.PipelineOptions;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.config.SpeculationOptions;
import dev.headway.api.config.SpeculativeMethod;
import dev.headway.api.engine.Engine;
import dev.headway.api.engine.RequestHandle;
import dev.headway.api.engine.RequestOutcome.Finished;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.Request;
import dev.headway.api.request.RequestStatus;
import dev.headway.api.schedule.ResetScope;
import dev.headway.api.step.EntryKind;
import dev.headway.api.step.LatencyModel;
import dev.headway.api.step.StepFeatures;
import dev.headway.scheduler.engine.HeadwayEngine;
import dev.headway.scheduler.time.VirtualClock;
import dev.headway.testkit.FakePlan;
import dev.headway.testkit.FakeRequest;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** What a latency model is given, by way of one that notes it; steps of at most 16 tokens. */
class StepFeaturesTest {

  private static final long STEP_NS = 1_000;

  private final VirtualClock clock = new VirtualClock();
  private final List<String> steps = new ArrayList<>();

  @Test
  void shouldTellPromptsFromDecodes() {
    final Engine engine = engine(settings -> settings, 0);
    engine.submit(request("a", 20, 3));
    engine.step();
    engine.submit(request("b", 5, 2));
    runAll(engine);

    assertThat(steps)
        .containsExactly(
            "prefill 1 of 16 behind 0, decode 0 of 0 behind 0, new 1, samples 0",
            "prefill 2 of 9 behind 16, decode 0 of 0 behind 0, new 1, samples 2",
            "prefill 0 of 0 behind 0, decode 2 of 2 behind 25, new 0, samples 2",
            "prefill 0 of 0 behind 0, decode 1 of 1 behind 21, new 0, samples 1");
  }

  @Test
  void shouldTakeAnEntryWhoseInputIsInFlightForADecode() {
    final Engine engine = engine(settings -> settings.pipeline(PipelineOptions.ASYNC), 0);
    engine.submit(request("a", 20, 3));
    runAll(engine);

    assertThat(steps)
        .containsExactly(
            "prefill 1 of 16 behind 0, decode 0 of 0 behind 0, new 1, samples 0",
            "prefill 1 of 4 behind 16, decode 0 of 0 behind 0, new 0, samples 1",
            "prefill 0 of 0 behind 0, decode 1 of 1 behind 20, new 0, samples 1",
            "prefill 0 of 0 behind 0, decode 1 of 1 behind 21, new 0, samples 1");
  }

  @Test
  void shouldCountDraftsAmongTheTokensOfADecode() {
    final Engine engine =
        engine(
            settings -> settings.speculation(SpeculationOptions.of(SpeculativeMethod.EAGLE, 3)), 1);
    engine.submit(request("a", 8, 9)); // a token with the prompt, then four with each step
    runAll(engine);

    assertThat(steps)
        .containsExactly(
            "prefill 1 of 8 behind 0, decode 0 of 0 behind 0, new 1, samples 1",
            "prefill 0 of 0 behind 0, decode 1 of 4 behind 8, new 0, samples 1, drafts 3 of 1",
            "prefill 0 of 0 behind 0, decode 1 of 4 behind 12, new 0, samples 1, drafts 3 of 1");
  }

  @Test
  void shouldTakeARecomputationForPrefill() {
    final Engine engine = engine(settings -> settings, 0);
    engine.submit(request("a", 9, 4));
    engine.step();
    engine.step();
    engine.resetPrefixCache(ResetScope.PREEMPT_RUNNING);
    runAll(engine);

    assertThat(steps.subList(2, 4))
        .containsExactly(
            "prefill 1 of 11 behind 0, decode 0 of 0 behind 0, new 0, samples 1, resumed 1",
            "prefill 0 of 0 behind 0, decode 1 of 1 behind 11, new 0, samples 1");
  }

  @Test
  void shouldLetTheModelDecideHowLongAStepTakes() {
    final Engine engine = engine(settings -> settings, 0);
    engine.submit(request("a", 20, 3));
    runAll(engine);

    assertThat(clock.nanoTime()).isEqualTo(4 * STEP_NS);
  }

  @Test
  void shouldRefuseANegativeDuration() {
    final LatencyModel wrong = step -> -1;
    final Engine engine =
        HeadwayEngine.builder(new SimulatedExecutor(shape(1), wrong, clock, 1))
            .limits(
                SchedulerLimits.builder()
                    .maxNumSeqs(8)
                    .maxNumBatchedTokens(16)
                    .maxModelLen(128)
                    .build())
            .clock(clock)
            .build();
    final RequestHandle handle = engine.submit(request("a", 20, 3));
    engine.step();

    final Finished finished = (Finished) handle.outcome().toCompletableFuture().join();
    assertThat(finished.reason()).isEqualTo(FinishReason.EXECUTOR_FAILED);
    assertThat(finished.cause())
        .hasMessage(
            "a step must take >= 0 ns: stepNs=-1, stepId=1, latency=" + wrong.getClass().getName());
  }

  @Test
  void shouldSumUpTheWorkOfAttention() {
    final StepFeatures given = new StepFeatures();
    given.addPrefill(5, 32); // 5 * (32 + 5 / 2) = 172.5 pairs
    given.addDecode(1, 90);
    given.addDecode(4, 10);

    assertThat(given.twicePrefillPairs()).isEqualTo(345);
    assertThat(given.requests()).isEqualTo(3);
    assertThat(given.totalTokens()).isEqualTo(10);
    assertThat(given.decodeContextSquares()).isEqualTo(8_100 + 100);
    assertThat(given.longestContext()).isEqualTo(90);
    assertThat(given.kvTokens()).isEqualTo(32 + 5 + 90 + 1 + 10 + 4);
    assertThat(given.draftTokens()).isEqualTo(3);
    assertThat(given.draftingRequests()).isEqualTo(1);
  }

  @Test
  void shouldForgetAndCopyEveryFigure() {
    final StepFeatures given = new StepFeatures();
    given.addPrefill(5, 32);
    given.addDecode(4, 90);
    given.addAdmissions(1, 2);
    given.addSampling(3);
    given.addBlocks(11);
    given.addTransfers(6, 7);

    final StepFeatures copy = new StepFeatures();
    copy.addDecode(1, 1);
    copy.copyFrom(given);
    assertThat(copy).usingRecursiveComparison().isEqualTo(given);

    given.begin();
    assertThat(given).usingRecursiveComparison().isEqualTo(new StepFeatures());
    assertThat(copy.kvBlocks()).isEqualTo(11);
    assertThat(copy.resumedRequests()).isEqualTo(2);
    assertThat(copy.loadedBlocks()).isEqualTo(7);
  }

  @Test
  void shouldAllocateNothing() {
    final FakePlan plan = new FakePlan();
    for (int number = 0; number < 16; number++) {
      plan.add(running(number), EntryKind.RUNNING, number % 2 == 0 ? 1 : 8, 1);
    }
    final StepFeatures given = new StepFeatures();
    final StepFeatures copy = new StepFeatures();
    final LatencyModel model = LinearLatencyModel.LLAMA_3_1_8B_ON_H100;
    final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    final long[] allocated = new long[10];
    long sumNs = 0;
    for (int window = -5; window < allocated.length; window++) {
      final long before = threads.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < 10_000; i++) {
        given.fill(plan);
        copy.copyFrom(given);
        sumNs += model.stepNs(copy);
      }
      allocated[Math.max(0, window)] = threads.getCurrentThreadAllocatedBytes() - before;
    }

    assertThat(given.decodeRequests()).isEqualTo(8);
    assertThat(sumNs).isPositive();
    assertThat(Arrays.stream(allocated).min().orElseThrow()).isZero();
    assertThat(Arrays.stream(allocated).sum()).isLessThan(10_000);
  }

  private static FakeRequest running(int number) {
    return FakeRequest.numbered(number, 100, 50)
        .status(RequestStatus.RUNNING)
        .outputTokens(1)
        .computedTokens(number % 2 == 0 ? 100 : 40);
  }

  private Engine engine(UnaryOperator<SchedulerConfig.Builder> settings, double acceptance) {
    final SchedulerConfig config =
        settings
            .apply(
                SchedulerConfig.builder(
                    SchedulerLimits.builder()
                        .maxNumSeqs(8)
                        .maxNumBatchedTokens(16)
                        .maxModelLen(128)
                        .build()))
            .build();
    final ExecutorShape shape = shape(config.pipeline().maxStepsInFlight());
    return HeadwayEngine.builder(new SimulatedExecutor(shape, this::note, clock, 1, acceptance))
        .config(config)
        .clock(clock)
        .build();
  }

  private long note(StepFeatures step) {
    if (step.requests() == 0) {
      return 0;
    }
    steps.add(
        "prefill %d of %d behind %d, decode %d of %d behind %d, new %d, samples %d"
                .formatted(
                    step.prefillRequests(),
                    step.prefillTokens(),
                    step.prefillContextTokens(),
                    step.decodeRequests(),
                    step.decodeTokens(),
                    step.decodeContextTokens(),
                    step.newRequests(),
                    step.samplingRequests())
            + (step.resumedRequests() == 0 ? "" : ", resumed " + step.resumedRequests())
            + (step.draftTokens() == 0
                ? ""
                : ", drafts " + step.draftTokens() + " of " + step.draftingRequests()));
    return STEP_NS;
  }

  private static ExecutorShape shape(int steps) {
    return ExecutorShape.builder()
        .kvCache(KvCacheShape.builder().blockSize(4).blocks(257).build())
        .maxNumSeqs(8)
        .vocabularySize(1_000)
        .maxStepsInFlight(steps)
        .build();
  }

  private static void runAll(Engine engine) {
    while (engine.step()) {
      continue;
    }
  }

  private static Request request(String id, int promptTokens, int outputs) {
    final int[] prompt = new int[promptTokens];
    Arrays.setAll(prompt, i -> Math.floorMod(id.hashCode() + i, 1_000));
    return Request.builder(id, prompt).maxTokens(outputs).build();
  }
}
