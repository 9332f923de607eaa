package dev.headway.scheduler.engine;

import static dev.headway.scheduler.engine.Engines.LIMITS;
import static dev.headway.scheduler.engine.Engines.endOf;
import static dev.headway.scheduler.engine.Engines.finished;
import static dev.headway.scheduler.engine.Engines.stepUntilIdle;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.config.PipelineOptions;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.engine.Engine;
import dev.headway.api.engine.RequestHandle;
import dev.headway.api.executor.Executor;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.request.Grammar;
import dev.headway.api.request.RejectReason;
import dev.headway.api.request.Request;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import dev.headway.scheduler.time.VirtualClock;
import dev.headway.testkit.TextGrammar;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An engine with an executor that samples the smallest token of each mask. */
class GrammarRequestTest {

  private static final int VOCABULARY = 32;

  /** Reads masks when a step is submitted, as executors do; several steps may be out. */
  private static final class MaskedExecutor implements Executor {

    private final ExecutorShape shape;
    private final Deque<int[]> answers = new ArrayDeque<>();
    private final Deque<Long> steps = new ArrayDeque<>();

    MaskedExecutor(int stepsInFlight) {
      shape =
          ExecutorShape.builder()
              .kvCache(KvCacheShape.builder().blockSize(4).blocks(65).build())
              .maxNumSeqs(8)
              .vocabularySize(VOCABULARY)
              .maxStepsInFlight(stepsInFlight)
              .build();
    }

    @Override
    public ExecutorShape shape() {
      return shape;
    }

    @Override
    public void submit(StepPlan plan) {
      final int[] tokens = new int[plan.size()];
      for (int entry = 0; entry < tokens.length; entry++) {
        final int[] mask = {-1};
        plan.constraints().fill(entry, mask, 0, 1);
        tokens[entry] = plan.samples(entry) ? Integer.numberOfTrailingZeros(mask[0]) : -1;
      }
      answers.add(tokens);
      steps.add(plan.stepId());
    }

    @Override
    public boolean await(StepOutput output, long timeoutNs) {
      final int[] tokens = answers.remove();
      output.begin(steps.remove(), tokens.length);
      for (int entry = 0; entry < tokens.length; entry++) {
        if (tokens[entry] >= 0) {
          output.addToken(entry, tokens[entry]);
        }
      }
      return true;
    }

    @Override
    public void close() {}
  }

  private static Engine engine(int stepsInFlight) {
    final SchedulerConfig.Builder config = SchedulerConfig.builder(LIMITS);
    if (stepsInFlight > 1) {
      config.pipeline(PipelineOptions.ASYNC);
    }
    return HeadwayEngine.builder(new MaskedExecutor(stepsInFlight))
        .config(config.build())
        .clock(new VirtualClock())
        .build();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void shouldSampleWhatTheGrammarAllowsBesideOthers(int stepsInFlight) {
    final Engine engine = engine(stepsInFlight);
    final CompletableFuture<Grammar> compiling = new CompletableFuture<>();
    final RequestHandle constrained =
        engine.submit(Request.builder("c", 1, 2, 3).maxTokens(5).grammar(compiling, null).build());
    final RequestHandle free = engine.submit(Request.builder("free", 1, 2).maxTokens(9).build());
    engine.step();

    Thread.startVirtualThread(
        () -> compiling.complete(new TextGrammar(VOCABULARY, 5, 9, 7, 11, 30)));
    stepUntil(engine, constrained);
    stepUntilIdle(engine);

    assertThat(finished(constrained).outputTokenIds()).containsExactly(5, 9, 7, 11, 30);
    assertThat(endOf(free)).isEqualTo("LENGTH/9");
  }

  private static void stepUntil(Engine engine, RequestHandle handle) {
    while (!handle.isDone()) {
      engine.step();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void shouldEndOnlyTheRequestWhoseGrammarCannotBeCompiled(int stepsInFlight) {
    final Engine engine = engine(stepsInFlight);
    final RequestHandle constrained =
        engine.submit(
            Request.builder("c", 1, 2, 3)
                .maxTokens(5)
                .grammar(CompletableFuture.failedFuture(new IllegalStateException("bomb")), null)
                .build());
    final RequestHandle free = engine.submit(free());

    stepUntilIdle(engine);

    assertThat(endOf(constrained)).isEqualTo("HOLD_FAILED/0");
    assertThat(endOf(free)).isEqualTo("LENGTH/3");
  }

  @Test
  void shouldRejectAGrammarThatTheSchedulerWouldNotFollow() {
    final Engine engine = Engines.around(FaultyScheduler::new, new MaskedExecutor(1));

    final RequestHandle handle =
        engine.submit(
            Request.builder("c", 1)
                .maxTokens(1)
                .grammar(new TextGrammar(VOCABULARY, 5).compiled(), null)
                .build());

    assertThat(Engines.rejected(handle).reason()).isEqualTo(RejectReason.UNSUPPORTED);
    assertThat(Engines.rejected(handle).message())
        .isEqualTo(
            "the scheduler must follow grammars for a request with one: id=c;"
                + " see Scheduler.followsGrammars");
  }

  private static Request free() {
    return Request.builder("free", 1, 2, 3, 4).maxTokens(3).build();
  }
}
