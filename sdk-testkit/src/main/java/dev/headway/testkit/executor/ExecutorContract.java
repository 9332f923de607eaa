package dev.headway.testkit.executor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.headway.api.executor.Executor;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.request.PlannedRequest;
import dev.headway.api.request.Request;
import dev.headway.api.step.EntryKind;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import dev.headway.testkit.FakePlan;
import dev.headway.testkit.FakeRequest;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What the engine relies on in an {@link Executor}: extend it in a test and give the factory. Plans
 * are as a scheduler makes them; the executor must have room for 3 requests and 8 blocks.
 *
 * {@snippet :
 * class MyExecutorTest extends ExecutorContract {
 *   @Override
 *   protected Executor create() {
 *     return new MyExecutor(model);
 *   }
 * }
 * }
 */
@Timeout(60)
public abstract class ExecutorContract {

  private static final long LONG_NS = TimeUnit.SECONDS.toNanos(30);
  private static final int OUTPUTS = 6;

  private final StepOutput output = new StepOutput();
  private Executor executor;
  private ExecutorShape shape;
  private long steps;
  private boolean closed;

  /** For subclasses. */
  @SuppressWarnings("NullAway.Init")
  protected ExecutorContract() {}

  /** Makes the executor to be tested. */
  protected abstract Executor create();

  @BeforeEach
  final void createExecutor() {
    executor = create();
    shape = executor.shape();
  }

  @AfterEach
  final void closeExecutor() {
    if (!closed) {
      executor.close();
    }
  }

  @Test
  void shouldHaveOneShape() {
    assertEquals(shape, executor.shape(), "the shape must be constant");
    assertFalse(executor.name().isBlank(), "the name must not be blank");
  }

  @Test
  void shouldAnswerOneTokenForEachEntryThatSamples() throws InterruptedException {
    final FakePlan plan =
        plan()
            .entry(request("a", 4), 0, 4, blocks(1, 4))
            .entry(request("chunk", 6), 0, 2, blocks(3, 6))
            .entry(request("b", 3), 0, 3, blocks(5, 3));

    run(plan);

    assertAnswers(plan);
  }

  @Test
  void shouldContinueAPromptAndDecode() throws InterruptedException {
    final FakeRequest request = new FakeRequest(0, request("a", 5));
    final int[] blocks = blocks(1, 5 + OUTPUTS);
    run(plan().entry(request, EntryKind.NEW, 3, blocks));
    request.running(3);
    run(plan().entry(request, EntryKind.RUNNING, 2, blocks));

    for (int i = 0; i < OUTPUTS - 1; i++) {
      request.append(output.token(0, 0));
      request.running(5 + i);
      final FakePlan decode = plan().entry(request, EntryKind.RUNNING, 1, blocks);
      run(decode);
      assertAnswers(decode);
    }
  }

  @Test
  void shouldRunAPreemptedRequestAgain() throws InterruptedException {
    final FakeRequest request = new FakeRequest(0, request("a", 3));
    run(plan().entry(request, EntryKind.NEW, 3, blocks(1, 3)));
    request.append(output.token(0, 0));
    final FakePlan resumed = plan().entry(request, EntryKind.RESUMED, 4, blocks(4, 4));
    resumed.preempted().add(request);

    run(resumed);

    assertAnswers(resumed);
  }

  @Test
  void shouldAnswerAPlanThatOnlyTellsOfEnds() throws InterruptedException {
    final FakeRequest ended = new FakeRequest(0, request("a", 3));
    run(plan().entry(ended, EntryKind.NEW, 3, blocks(1, 3)));

    run(plan().ended(ended));

    final FakePlan next = plan().entry(request("b", 3), 0, 3, blocks(1, 3));
    run(next);
    assertAnswers(next);
  }

  @Test
  void shouldTakeTheIdOfAnEndedRequestForANewOne() throws InterruptedException {
    final FakeRequest ended = new FakeRequest(0, request("a", 3));
    run(plan().entry(ended, EntryKind.NEW, 3, blocks(1, 3)));
    final FakePlan again =
        plan()
            .entry(new FakeRequest(1, request("a", 4)), EntryKind.NEW, 4, blocks(1, 4))
            .ended(ended);

    run(again);

    assertAnswers(again);
  }

  @Test
  void shouldAnswerStepsInTheirOrder() throws InterruptedException {
    assumeTrue(shape.maxStepsInFlight() > 1, "one step at a time");
    final FakePlan first = plan().entry(request("a", 4), 0, 2, blocks(1, 4));
    final FakePlan second =
        plan()
            .entry(request("b", 3), 0, 3, blocks(3, 3))
            .entry(request("c", 3), 0, 3, blocks(5, 3));

    executor.submit(first);
    executor.submit(second);

    await(first);
    assertAnswers(first);
    await(second);
    assertAnswers(second);
  }

  @Test
  void shouldAnswerAStepOnceThatWasNotReadyInTime() throws InterruptedException {
    final FakePlan plan = plan().entry(request("a", 4), 0, 4, blocks(1, 4));
    executor.submit(plan);
    output.begin(plan.stepId(), plan.size());

    if (!executor.await(output, 1)) {
      assertEquals(0, output.tokenCount(0), "tokens of a step that is not answered");
      await(plan);
    }

    assertAnswers(plan);
  }

  @Test
  void shouldAnswerAStepWhoseWaitWasInterrupted() throws InterruptedException {
    final FakePlan plan = plan().entry(request("a", 4), 0, 4, blocks(1, 4));
    executor.submit(plan);
    output.begin(plan.stepId(), plan.size());

    boolean answered = false;
    Thread.currentThread().interrupt();
    try {
      answered = executor.await(output, LONG_NS);
    } catch (InterruptedException expected) {
      // the step is still out
    } finally {
      Thread.interrupted();
    }
    if (!answered) {
      await(plan);
    }

    assertAnswers(plan);
  }

  @Test
  void shouldUseThePlansOwnNumbers() throws InterruptedException {
    final FakeRequest request = new FakeRequest(0, request("a", 4));
    final FakePlan plan = plan().entry(request, EntryKind.NEW, 4, blocks(1, 4));
    request.running(4); // as a scheduler counts, before the plan is submitted
    request.inFlightTokens(4);

    run(plan);

    assertAnswers(plan);
  }

  @Test
  void shouldCloseWithAStepOut() {
    executor.submit(plan().entry(request("a", 4), 0, 4, blocks(1, 4)));

    executor.close();
    closed = true;
  }

  private FakePlan plan() {
    return new FakePlan(++steps, 0, 0);
  }

  private Request request(String id, int promptTokens) {
    final int[] prompt = new int[promptTokens];
    for (int i = 0; i < promptTokens; i++) {
      prompt[i] = (3 * i + id.length()) % shape.vocabularySize();
    }
    return Request.builder(id, prompt).maxTokens(OUTPUTS).build();
  }

  /** Blocks from {@code first} on, as many as {@code tokens} take. */
  private int[] blocks(int first, int tokens) {
    final int[] blocks = new int[shape.kvCache().blocksFor(tokens)];
    for (int i = 0; i < blocks.length; i++) {
      blocks[i] = first + i;
    }
    return blocks;
  }

  private void run(StepPlan plan) throws InterruptedException {
    executor.submit(plan);
    await(plan);
  }

  private void await(StepPlan plan) throws InterruptedException {
    output.begin(plan.stepId(), plan.size());
    assertTrue(executor.await(output, LONG_NS), "a step must be answered: stepId=" + plan.stepId());
  }

  private void assertAnswers(StepPlan plan) {
    assertEquals(plan.stepId(), output.stepId(), "the step that is answered");
    assertEquals(plan.size(), output.size(), "entries answered");
    for (int entry = 0; entry < plan.size(); entry++) {
      final PlannedRequest request = plan.request(entry);
      assertNull(output.failure(entry), "failure of " + request.id());
      assertEquals(
          plan.samples(entry) ? 1 : 0, output.tokenCount(entry), "tokens of " + request.id());
      if (plan.samples(entry)) {
        final int token = output.token(entry, 0);
        assertTrue(
            token >= 0 && token < shape.vocabularySize(),
            () -> "a token must be in the vocabulary: token=" + token);
      }
    }
  }
}
