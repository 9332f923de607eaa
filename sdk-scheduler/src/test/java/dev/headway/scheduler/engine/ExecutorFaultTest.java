package dev.headway.scheduler.engine;

import static dev.headway.scheduler.engine.Engines.assertHealthy;
import static dev.headway.scheduler.engine.Engines.assertHealthyThread;
import static dev.headway.scheduler.engine.Engines.await;
import static dev.headway.scheduler.engine.Engines.builder;
import static dev.headway.scheduler.engine.Engines.endOf;
import static dev.headway.scheduler.engine.Engines.engine;
import static dev.headway.scheduler.engine.Engines.executor;
import static dev.headway.scheduler.engine.Engines.finished;
import static dev.headway.scheduler.engine.Engines.prompt;
import static dev.headway.scheduler.engine.Engines.request;
import static dev.headway.scheduler.engine.Engines.started;
import static dev.headway.scheduler.engine.Engines.stepUntilIdle;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.engine.Engine;
import dev.headway.api.engine.EngineState;
import dev.headway.api.engine.RequestHandle;
import dev.headway.api.executor.ExecutorLostException;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.probe.PlannedEvent;
import dev.headway.api.probe.Probe;
import dev.headway.api.probe.StepCompletedEvent;
import dev.headway.api.schedule.BlockFence;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** An executor that fails harms the requests of that step; its blocks come back. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ExecutorFaultTest {

  private final ScriptedExecutor executor = executor();
  private final StepWatch watch = new StepWatch();
  private final Engine engine = engine(executor, watch);

  static Stream<Throwable> throwables() {
    return Stream.of(
        new IllegalStateException("device"),
        new Error("device"),
        new LinkageError("device"),
        new StackOverflowError("device"),
        new OutOfMemoryError("device"),
        new InternalError("device"));
  }

  @ParameterizedTest
  @MethodSource("throwables")
  void shouldEndTheRequestsOfAStepWhoseSubmitThrows(Throwable thrown) {
    executor.thenSubmit(plan -> throwAny(thrown));

    assertStepFailsWith(thrown);
  }

  @ParameterizedTest
  @MethodSource("throwables")
  void shouldEndTheRequestsOfAStepWhoseAwaitThrows(Throwable thrown) {
    executor.thenAwait(
        (plan, output, timeoutNs) -> {
          ScriptedExecutor.answer(plan, output);
          throwAny(thrown);
          return true;
        });

    assertStepFailsWith(thrown);
  }

  private void assertStepFailsWith(Throwable thrown) {
    final Heard heard = new Heard();
    final RequestHandle inStep = engine.submit(request("in-step", 4), heard);
    final RequestHandle alsoInStep = engine.submit(prompt("also", 30, 4));

    engine.step();
    final RequestHandle later = engine.submit(request("later", 4));
    stepUntilIdle(engine);

    assertThat(heard.events).containsExactly("EXECUTOR_FAILED/0");
    assertThat(finished(inStep).cause()).isSameAs(thrown);
    assertThat(finished(alsoInStep).cause()).isSameAs(thrown);
    assertThat(endOf(later)).isEqualTo("LENGTH/4");
    assertThat(engine.stats().stepsFailed()).isEqualTo(1);
    assertThat(engine.stats().probesDetached()).isZero();
    assertThat(watch.failures).containsExactly(thrown);
    assertThat(watch.completed).isEqualTo(watch.planned);
    assertAllBlocksFree();
  }

  @Test
  void shouldTellWhyNoAnswerCameIfTheExecutorKnows() {
    final Throwable lost = new IOException("connection lost");
    executor.thenAwait(
        (plan, output, timeoutNs) -> {
          output.unanswered(lost);
          return false;
        });
    executor.thenAwait((plan, output, timeoutNs) -> false);
    final RequestHandle inStep = engine.submit(request("in-step", 4));

    engine.step();

    assertThat(endOf(inStep)).isEqualTo("EXECUTOR_FAILED/0");
    assertThat(finished(inStep).cause()).isSameAs(lost);
    assertThat(watch.failures).containsExactly(lost);
    engine.step();
    assertThat(engine.stats().stepsFailed()).as("the block is still held").isEqualTo(1);
  }

  @Test
  void shouldGiveUpAStepThatIsNotAnsweredInTimeAndTakeItsLateAnswer() {
    executor.thenAwait((plan, output, timeoutNs) -> false);
    executor.thenAwait((plan, output, timeoutNs) -> false);
    final RequestHandle late = engine.submit(request("late", 4));

    engine.step();
    assertThat(endOf(late)).isEqualTo("EXECUTOR_FAILED/0");
    assertThat(finished(late).cause())
        .isInstanceOf(TimeoutException.class)
        .hasMessage("executor did not answer in time: stepId=1, executorTimeoutNs=300000000000");
    final RequestHandle behind = engine.submit(request("behind", 2));
    engine.step();
    assertThat(executor.submits).hasValue(1); // nothing is handed over while an answer is owed
    stepUntilIdle(engine);

    assertThat(endOf(behind)).isEqualTo("LENGTH/2");
    assertThat(engine.stats().stepsFailed()).isEqualTo(1);
    assertAllBlocksFree();
  }

  @Test
  void shouldKeepTheBlocksOfAnUnansweredStepUntilItIsAnswered() {
    executor.thenAwait((plan, output, timeoutNs) -> false);
    engine.submit(prompt("late", 60, 4));

    engine.step();
    engine.submit(request("next", 1));
    engine.step(); // the late answer

    assertThat(watch.freeBlocks).containsExactly(64 - 15, 64 - 2);
    stepUntilIdle(engine);
    assertAllBlocksFree();
  }

  @Test
  void shouldTellTheSchedulerWhichStepsCanStillWrite() {
    final AtomicReference<FaultyScheduler> scheduler = new AtomicReference<>();
    final Engine recorded =
        Engines.around(
            made -> {
              scheduler.set(new FaultyScheduler(made));
              return scheduler.get();
            },
            executor);
    executor.thenAwait((plan, output, timeoutNs) -> false);
    recorded.submit(request("late", 4));
    recorded.step();
    assertThat(scheduler.get().failed).containsExactly(BlockFence.HOLD);
    assertThat(scheduler.get().released).isEmpty();

    recorded.submit(request("failed", 4));
    executor.thenAwait((plan, output, timeoutNs) -> true); // the late answer
    executor.thenAwait(
        (plan, output, timeoutNs) -> {
          throw new IllegalStateException("device");
        });
    stepUntilIdle(recorded);

    assertThat(scheduler.get().released).containsExactly(1L);
    assertThat(scheduler.get().failed).containsExactly(BlockFence.HOLD, BlockFence.RELEASE);
    assertHealthy(recorded);
  }

  @Test
  void shouldServeDeadlinesAndCancellationsWhileAnAnswerIsOwed() {
    executor.thenAwait((plan, output, timeoutNs) -> false);
    final List<Long> waits = new ArrayList<>();
    executor.alwaysAwait(
        (plan, output, timeoutNs) -> {
          waits.add(timeoutNs);
          return false;
        });
    engine.submit(request("late", 4));
    engine.step();

    final RequestHandle cancelled = engine.submit(request("cancelled", 4));
    engine.step();
    cancelled.cancel();
    engine.step();

    assertThat(endOf(cancelled)).isEqualTo("ABORTED/0");
    assertThat(waits).containsOnly(TimeUnit.MILLISECONDS.toNanos(10));
    final RequestHandle left = engine.submit(request("left", 4));
    engine.close();
    assertThat(endOf(left)).isEqualTo("SHUTDOWN/0");
    assertThat(executor.closes).hasValue(1);
  }

  @ParameterizedTest
  @MethodSource("throwables")
  void shouldTakeALateFailureForAnAnswer(Throwable thrown) {
    executor.thenAwait((plan, output, timeoutNs) -> false);
    executor.thenAwait(
        (plan, output, timeoutNs) -> {
          throwAny(thrown);
          return true;
        });
    engine.submit(request("late", 4));
    engine.step();

    final RequestHandle behind = engine.submit(request("behind", 2));
    stepUntilIdle(engine);

    assertThat(endOf(behind)).isEqualTo("LENGTH/2");
    assertAllBlocksFree();
  }

  @Test
  void shouldCloseWhileTheExecutorNeverAnswers() {
    executor.alwaysAwait(
        (plan, output, timeoutNs) -> {
          new CountDownLatch(1).await(timeoutNs, TimeUnit.NANOSECONDS);
          return false;
        });
    final Engine hung =
        HeadwayEngine.builder(executor)
            .limits(Engines.LIMITS)
            .executorTimeout(Duration.ofMillis(20))
            .build();
    hung.start(Engines::daemon);
    final RequestHandle out = hung.submit(request("out", 4));
    assertThat(endOf(await(out))).isEqualTo("EXECUTOR_FAILED/0");
    final RequestHandle waiting = hung.submit(request("waiting", 4));

    hung.close();

    assertThat(endOf(waiting)).isEqualTo("SHUTDOWN/0");
    assertThat(hung.state()).isEqualTo(EngineState.CLOSED);
    assertThat(executor.closes).hasValue(1);
  }

  @Test
  void shouldEndOnlyTheRequestThatGotTooManyTokens() {
    executor.thenAwait(
        (plan, output, timeoutNs) -> {
          ScriptedExecutor.answer(plan, output);
          output.addToken(0, 7);
          return true;
        });

    assertOnlyFirstFails("executor must answer 1 token: id=first, stepId=1, tokens=2");
  }

  @Test
  void shouldEndOnlyTheRequestThatGotNoToken() {
    executor.thenAwait(
        (plan, output, timeoutNs) -> {
          output.addToken(1, 100);
          return true;
        });

    assertOnlyFirstFails("executor must answer 1 token: id=first, stepId=1, tokens=0");
  }

  @Test
  void shouldEndOnlyTheRequestWhoseTokenIsOutOfTheVocabulary() {
    executor.thenAwait(
        (plan, output, timeoutNs) -> {
          output.addToken(0, 1_000);
          output.addToken(1, 100);
          return true;
        });

    assertOnlyFirstFails(
        "executor must answer token ids in [0, vocabularySize): id=first, stepId=1, tokenId=1000,"
            + " vocabularySize=1000");
  }

  @Test
  void shouldEndOnlyTheRequestWhoseTokenIsNegative() {
    executor.thenAwait(
        (plan, output, timeoutNs) -> {
          output.addToken(0, -1);
          output.addToken(1, 100);
          return true;
        });

    assertOnlyFirstFails(
        "executor must answer token ids in [0, vocabularySize): id=first, stepId=1, tokenId=-1,"
            + " vocabularySize=1000");
  }

  @Test
  void shouldEndOnlyTheRequestWhoseEntryFailed() {
    executor.thenAwait(
        (plan, output, timeoutNs) -> {
          ScriptedExecutor.answer(plan, output);
          output.fail(0, new ArithmeticException("NaN logits"));
          return true;
        });

    assertOnlyFirstFails("NaN logits");
  }

  private void assertOnlyFirstFails(String message) {
    final Heard heard = new Heard();
    final RequestHandle first = engine.submit(request("first", 4), heard);
    final RequestHandle second = engine.submit(prompt("second", 7, 4)); // shares no block

    stepUntilIdle(engine);

    assertThat(heard.events).containsExactly("EXECUTOR_FAILED/0");
    assertThat(finished(first).cause()).hasMessage(message);
    assertThat(endOf(second)).isEqualTo("LENGTH/4");
    assertThat(engine.stats().stepsFailed()).isZero(); // the step as a whole was answered
    assertAllBlocksFree();
  }

  @Test
  void shouldRefuseATokenForAPrefillChunk() {
    executor.thenAwait(
        (plan, output, timeoutNs) -> {
          output.addToken(0, 7);
          return true;
        });
    final RequestHandle chunked = engine.submit(prompt("chunked", 100, 2)); // 64 tokens a step

    stepUntilIdle(engine);

    assertThat(finished(chunked).cause())
        .hasMessage(
            "executor must answer 0 tokens for a prefill chunk: id=chunked, stepId=1, tokens=1");
    assertAllBlocksFree();
  }

  @Test
  void shouldRefuseATokenForAnEntryThatIsNotThere() {
    executor.thenAwait(
        (plan, output, timeoutNs) -> {
          output.addToken(1, 7);
          return true;
        });
    final RequestHandle handle = engine.submit(request("a", 4));

    stepUntilIdle(engine);

    assertThat(finished(handle).cause())
        .isInstanceOf(IndexOutOfBoundsException.class)
        .hasMessage("entry must be in [0, size): entry=1, size=1, stepId=1");
    assertAllBlocksFree();
  }

  @Test
  void shouldRefuseTheAnswerToAnotherStep() {
    executor.thenAwait(
        (plan, output, timeoutNs) -> {
          output.begin(77, 3);
          return true;
        });
    final RequestHandle handle = engine.submit(request("a", 4));

    stepUntilIdle(engine);

    assertThat(finished(handle).cause())
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "executor must answer the oldest step out: answeredStepId=77, answeredSize=3, stepId=1,"
                + " size=1");
    assertAllBlocksFree();
  }

  @Test
  void shouldNotBeHarmedByAFailureOverAnEmptyPlan() {
    final RequestHandle handle = engine.submit(request("a", 1));
    engine.step();
    executor.thenAwait(
        (plan, output, timeoutNs) -> {
          assertThat(plan.size()).isZero();
          assertThat(plan.finished().id(0)).isEqualTo("a");
          output.addToken(0, 7);
          return true;
        });

    stepUntilIdle(engine);

    assertThat(endOf(handle)).isEqualTo("LENGTH/1");
    assertThat(engine.stats().stepsFailed()).isEqualTo(1);
    assertAllBlocksFree();
  }

  /** Told to stop at any failure, or because no step can run any more. */
  @ParameterizedTest
  @EnumSource
  void shouldEndEveryRequestAndStop(ExecutorFailurePolicy policy) {
    final Engine stopping =
        builder(executor).onExecutorFailure(policy).probe(new StepWatch()).build();
    final IllegalStateException thrown =
        policy == ExecutorFailurePolicy.STOP
            ? new IllegalStateException("device")
            : new ExecutorLostException("restart the process", new IOException("lost"));
    executor.thenAwait(
        (plan, output, timeoutNs) -> {
          throw thrown;
        });
    final List<RequestHandle> handles = new ArrayList<>();
    for (int i = 0; i < 10; i++) { // 8 seats
      handles.add(stopping.submit(request("a" + i, 4)));
    }

    stopping.step();

    assertThat(handles)
        .allSatisfy(
            handle -> {
              assertThat(endOf(handle)).isEqualTo("EXECUTOR_FAILED/0");
              assertThat(finished(handle).cause()).isSameAs(thrown);
            });
    assertThat(stopping.state()).isEqualTo(EngineState.FAILED);
    assertThat(executor.closes).hasValue(1);
    assertThatThrownBy(stopping::step).hasMessage("engine must be open to step: state=FAILED");
    assertThat(Engines.rejected(stopping.submit(request("b", 1))).message())
        .isEqualTo("engine must be open to take requests: id=b, state=FAILED");
  }

  @Test
  void shouldConserveBlocksOverManyFailures() {
    final ExecutorShape tight =
        ExecutorShape.builder()
            .kvCache(KvCacheShape.builder().blockSize(4).blocks(17).build())
            .maxNumSeqs(8)
            .vocabularySize(1_000)
            .build();
    final ScriptedExecutor failing = new ScriptedExecutor(tight);
    final StepWatch each = new StepWatch();
    final Engine small = engine(failing, each);
    final int[] step = new int[1];
    failing.alwaysAwait(
        (plan, output, timeoutNs) -> {
          if (++step[0] % 3 == 0) {
            throw new IllegalStateException("device");
          }
          return step[0] % 7 != 0 && ScriptedExecutor.answer(plan, output);
        });

    for (int i = 0; i < 500; i++) {
      small.submit(prompt("a" + i, 1 + i % 40, 1 + i % 9));
      small.step();
    }
    failing.alwaysAwait((plan, output, timeoutNs) -> ScriptedExecutor.answer(plan, output));
    stepUntilIdle(small);

    assertThat(small.stats().finished()).isEqualTo(500);
    small.submit(request("last", 1));
    stepUntilIdle(small);
    assertThat(each.freeBlocks.getLast()).isEqualTo(16);
  }

  @Test
  void shouldGoOnWithAThreadOfItsOwnAfterFailures() {
    executor.alwaysAwait(
        (plan, output, timeoutNs) -> {
          if (plan.size() > 0) {
            throw new IllegalStateException("device");
          }
          return true;
        });
    try (Engine own = started(executor)) {
      for (int i = 0; i < 10; i++) {
        assertThat(endOf(await(own.submit(request("a" + i, 3))))).isEqualTo("EXECUTOR_FAILED/0");
      }
      executor.alwaysAwait((plan, output, timeoutNs) -> ScriptedExecutor.answer(plan, output));

      assertHealthyThread(own);
      assertThat(own.stats().stepsFailed()).isEqualTo(10);
    }
  }

  private void assertAllBlocksFree() {
    assertHealthy(engine);
    assertThat(watch.freeBlocks.getLast()).as("free blocks in the latest plan").isEqualTo(64);
  }

  @SuppressWarnings("unchecked")
  private static <T extends Throwable> void throwAny(Throwable thrown) throws T {
    throw (T) thrown;
  }

  /** Writes down what became of each step. */
  private static final class StepWatch implements Probe {

    final List<Integer> freeBlocks = new ArrayList<>();
    final List<Throwable> failures = new ArrayList<>();
    int planned;
    int completed;

    @Override
    public void onPlanned(PlannedEvent event) {
      planned++;
      freeBlocks.add(event.freeBlocks());
    }

    @Override
    public void onStepCompleted(StepCompletedEvent event) {
      completed++;
      if (event.failure() != null) {
        failures.add(event.failure());
      }
    }
  }
}
