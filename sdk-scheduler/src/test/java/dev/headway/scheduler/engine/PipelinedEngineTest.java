package dev.headway.scheduler.engine;

import static dev.headway.scheduler.engine.Engines.endOf;
import static dev.headway.scheduler.engine.Engines.finished;
import static dev.headway.scheduler.engine.Engines.prompt;
import static dev.headway.scheduler.engine.Engines.stepUntilIdle;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.config.AsyncScheduling;
import dev.headway.api.config.ModelRunner;
import dev.headway.api.config.PipelineOptions;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SpeculationOptions;
import dev.headway.api.config.SpeculativeMethod;
import dev.headway.api.engine.Engine;
import dev.headway.api.engine.RequestHandle;
import dev.headway.api.executor.Executor;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.schedule.PauseState;
import dev.headway.api.schedule.ResetScope;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import dev.headway.scheduler.sim.LinearLatencyModel;
import dev.headway.scheduler.sim.SimulatedExecutor;
import dev.headway.scheduler.time.VirtualClock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Several steps out at once: what is generated stays the same, and nobody else pays for a fault.
 */
class PipelinedEngineTest {

  private static final LinearLatencyModel LATENCY =
      new LinearLatencyModel(1_000_000, 10_000, 300, 7);

  private final VirtualClock clock = new VirtualClock();

  @ParameterizedTest
  @CsvSource({
    "ENABLED, 1, V1, 0",
    "ENABLED, 1, V2, 0",
    "ENABLED, 2, V1, 0",
    "ENABLED, 2, V2, 0",
    "DISABLED, 2, V1, 0",
    "DISABLED, 1, V1, 3",
    "ENABLED, 1, V1, 3",
    "ENABLED, 2, V2, 3"
  })
  void shouldGenerateTheSameTokensAsOneStepAtATime(
      AsyncScheduling async, int stages, ModelRunner runner, int drafts) {
    final List<int[]> oneByOne = generate(PipelineOptions.DEFAULT, 0);

    final List<int[]> pipelined = generate(new PipelineOptions(async, stages, runner), drafts);

    assertThat(pipelined).hasSameSizeAs(oneByOne);
    for (int i = 0; i < pipelined.size(); i++) {
      assertThat(pipelined.get(i)).as("request %d", i).isEqualTo(oneByOne.get(i));
    }
  }

  @Test
  void shouldNeedFewerStepsWhenDraftsAreAccepted() {
    final long plain = stepsFor(SpeculationOptions.NONE);
    final long speculative = stepsFor(SpeculationOptions.of(SpeculativeMethod.EAGLE, 3));

    // a draft is accepted with 0.8: 1 + 0.8 + 0.64 + 0.51 tokens a step, and one step of a prompt
    assertThat((double) plain / speculative).isBetween(2.2, 3.2);
  }

  @Test
  void shouldRefuseAPipelineDeeperThanTheExecutors() {
    final EngineBuilder builder =
        Engines.builder(Engines.executor())
            .config(
                SchedulerConfig.builder(Engines.LIMITS).pipeline(PipelineOptions.ASYNC).build());

    assertThatThrownBy(builder::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "the pipeline's steps in flight must be <= the executor's:"
                + " pipeline=PipelineOptions[asyncScheduling=ENABLED, pipelineParallelSize=1,"
                + " modelRunner=V1], maxStepsInFlight=2, executor.maxStepsInFlight=1");
  }

  @Test
  void shouldEndOnlyTheRequestsOfAFailedStepWhileAnotherIsOut() {
    final FailingExecutor executor = new FailingExecutor(3, 0);
    final Engine engine = engine(executor, PipelineOptions.ASYNC, SpeculationOptions.NONE);
    final RequestHandle early = engine.submit(prompt("early", 9, 20));
    engine.step();
    engine.step();
    engine.step();

    final RequestHandle late = engine.submit(prompt("late", 5, 3));
    stepUntilIdle(engine);

    assertThat(endOf(early)).startsWith("EXECUTOR_FAILED/");
    assertThat(endOf(late)).isEqualTo("LENGTH/3");
    assertThat(engine.stats().stepsFailed()).isEqualTo(1);
  }

  @Test
  void shouldPlanNothingBehindAStepThatTheExecutorRefused() {
    final RefusingExecutor executor = new RefusingExecutor(4);
    final Engine engine =
        engine(
            executor,
            new PipelineOptions(AsyncScheduling.DISABLED, 3, ModelRunner.V1),
            SpeculationOptions.NONE);
    final List<RequestHandle> handles = new ArrayList<>();
    for (int i = 0; i < 3; i++) { // in turn, so that three steps are out
      handles.add(engine.submit(prompt("r" + i, 10, 4)));
      engine.step();
    }

    final RequestHandle refused = engine.submit(prompt("refused", 100, 3)); // in two chunks
    stepUntilIdle(engine);

    assertThat(endOf(refused)).startsWith("EXECUTOR_FAILED/");
    assertThat(executor.behind).as("entries of requests that the refused step had").isZero();
    assertThat(engine.stats().stepsFailed()).isEqualTo(1);
    assertThat(endOf(handles.getLast())).isEqualTo("LENGTH/4");
  }

  @Test
  void shouldGiveUpAllThatIsOutWhenAnAnswerIsLate() {
    final FailingExecutor executor = new FailingExecutor(0, 2);
    final Engine engine = engine(executor, PipelineOptions.ASYNC, SpeculationOptions.NONE);
    final RequestHandle given = engine.submit(prompt("given", 9, 20));
    engine.step();
    engine.step();
    engine.step();

    assertThat(endOf(given)).startsWith("EXECUTOR_FAILED/");
    assertThat(engine.stats().stepsFailed()).isEqualTo(2);

    final RequestHandle next = engine.submit(prompt("next", 5, 3));
    for (int i = 0; i < 20; i++) {
      engine.step();
    }
    assertThat(endOf(next)).isEqualTo("LENGTH/3");
  }

  @Test
  void shouldEmptyTheCacheBetweenStepsThoughSomeAreOut() {
    final Engine engine =
        engine(simulated(PipelineOptions.ASYNC), PipelineOptions.ASYNC, SpeculationOptions.NONE);
    final RequestHandle given = engine.submit(prompt("a", 9, 20));
    engine.step();
    engine.step();

    final CompletionStage<Boolean> reset = engine.resetPrefixCache(ResetScope.PREEMPT_RUNNING);
    stepUntilIdle(engine);

    assertThat(reset.toCompletableFuture()).isCompletedWithValue(true);
    assertThat(endOf(given)).isEqualTo("LENGTH/20");
  }

  @Test
  void shouldHoldSchedulingBackWhilePaused() {
    final Engine engine =
        engine(simulated(PipelineOptions.ASYNC), PipelineOptions.ASYNC, SpeculationOptions.NONE);
    final RequestHandle given = engine.submit(prompt("a", 9, 20));
    engine.setPauseState(PauseState.PAUSED);
    for (int i = 0; i < 30; i++) {
      engine.step();
    }
    assertThat(given.isDone()).isFalse();
    assertThat(engine.stats().waiting()).isEqualTo(1);

    engine.setPauseState(PauseState.RUNNING);
    stepUntilIdle(engine);

    assertThat(endOf(given)).isEqualTo("LENGTH/20");
  }

  private List<int[]> generate(PipelineOptions pipeline, int drafts) {
    final SpeculationOptions speculation =
        drafts == 0
            ? SpeculationOptions.NONE
            : SpeculationOptions.of(SpeculativeMethod.EAGLE, drafts);
    final Engine engine = engine(simulated(pipeline), pipeline, speculation);
    final List<RequestHandle> handles = new ArrayList<>();
    for (int i = 0; i < 24; i++) {
      handles.add(engine.submit(prompt("r" + i, 3 + 2 * i, 1 + 5 * i % 31)));
      engine.step();
    }
    stepUntilIdle(engine);
    final List<int[]> outputs = new ArrayList<>();
    handles.forEach(handle -> outputs.add(finished(handle).outputTokenIds()));
    return outputs;
  }

  private long stepsFor(SpeculationOptions speculation) {
    final Engine engine =
        engine(simulated(PipelineOptions.DEFAULT), PipelineOptions.DEFAULT, speculation);
    engine.submit(prompt("a", 5, 100));
    stepUntilIdle(engine);
    return engine.stats().steps();
  }

  private SimulatedExecutor simulated(PipelineOptions pipeline) {
    return new SimulatedExecutor(shape(pipeline.maxStepsInFlight()), LATENCY, clock, 7, 0.8);
  }

  private Engine engine(
      Executor executor, PipelineOptions pipeline, SpeculationOptions speculation) {
    return HeadwayEngine.builder(executor)
        .config(
            SchedulerConfig.builder(Engines.LIMITS)
                .pipeline(pipeline)
                .speculation(speculation)
                .build())
        .clock(clock)
        .build();
  }

  private static ExecutorShape shape(int maxStepsInFlight) {
    return ExecutorShape.builder()
        .kvCache(KvCacheShape.builder().blockSize(4).blocks(49).build())
        .maxNumSeqs(8)
        .vocabularySize(1_000)
        .maxStepsInFlight(maxStepsInFlight)
        .build();
  }

  /** Fails the await of one step, or answers none of the first ones in time. */
  private static final class FailingExecutor implements Executor {

    private final List<StepPlan> out = new ArrayList<>();
    private final long failingStepId;
    private int timeouts;

    FailingExecutor(long failingStepId, int timeouts) {
      this.failingStepId = failingStepId;
      this.timeouts = timeouts;
    }

    @Override
    public ExecutorShape shape() {
      return PipelinedEngineTest.shape(2);
    }

    @Override
    public void submit(StepPlan plan) {
      out.add(plan);
    }

    @Override
    public boolean await(StepOutput output, long timeoutNs) {
      if (timeouts > 0) {
        timeouts--;
        return false;
      }
      final StepPlan plan = out.removeFirst();
      if (plan.stepId() == failingStepId) {
        throw new IllegalStateException("step " + failingStepId + " broke");
      }
      if (output.size() == plan.size()) {
        for (int entry = 0; entry < plan.size(); entry++) {
          if (plan.samples(entry)) {
            output.addToken(entry, 1);
          }
        }
      }
      return true;
    }

    @Override
    public void close() {}
  }

  /** Refuses a step, and counts later entries that build on it. */
  private static final class RefusingExecutor implements Executor {

    private final FailingExecutor inner = new FailingExecutor(Long.MAX_VALUE, 0);
    private final List<Long> refused = new ArrayList<>();
    private final long refusedStepId;
    private int behind;

    RefusingExecutor(long refusedStepId) {
      this.refusedStepId = refusedStepId;
    }

    @Override
    public ExecutorShape shape() {
      return PipelinedEngineTest.shape(3);
    }

    @Override
    public void submit(StepPlan plan) {
      for (int entry = 0; entry < plan.size(); entry++) {
        behind += refused.contains(plan.request(entry).number()) ? 1 : 0;
      }
      if (plan.stepId() == refusedStepId) {
        for (int entry = 0; entry < plan.size(); entry++) {
          refused.add(plan.request(entry).number());
        }
        throw new IllegalStateException("no more room");
      }
      inner.submit(plan);
    }

    @Override
    public boolean await(StepOutput output, long timeoutNs) {
      return inner.await(output, timeoutNs);
    }

    @Override
    public void close() {}
  }
}
