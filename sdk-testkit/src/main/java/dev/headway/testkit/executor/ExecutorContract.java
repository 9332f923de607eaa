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
import java.util.Arrays;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
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
  private static final int BLOCKS = 8;

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

  /**
   * Whether it runs a model: equal prompts get equal tokens under greedy sampling, and the KV of
   * all tokens before decides each. Then it is tested that blocks, chunks and batches change no
   * token; which needs a cache of at least 8 usable blocks and contexts of three blocks.
   */
  protected boolean computesTokens() {
    return false;
  }

  /**
   * Makes an executor whose next step takes longer than a second of its clock, to test that a wait
   * ends in time; null, as by default, where none can be made.
   */
  protected @Nullable Executor createLate() {
    return null;
  }

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
    }
    final boolean interrupted = Thread.interrupted();
    if (answered) {
      assertTrue(interrupted, "an interrupt must be thrown, or be left for the caller");
    } else {
      await(plan);
    }

    assertAnswers(plan);
  }

  @Test
  void shouldWaitNoLongerThanItMay() throws InterruptedException {
    final Executor made = createLate();
    assumeTrue(made != null, "no step takes long");
    final Executor late = Objects.requireNonNull(made);
    final FakePlan plan = plan().entry(request("a", 4), 0, 4, blocks(1, 4));
    late.submit(plan);
    output.begin(plan.stepId(), plan.size());

    final boolean answered = late.await(output, TimeUnit.MILLISECONDS.toNanos(20));
    late.close();

    assertFalse(answered, "a step that takes a second cannot be answered after 20 ms");
    assertEquals(0, output.tokenCount(0), "tokens of a step that is not answered");
  }

  @Test
  void shouldAnswerTheSameTokensInOtherBlocks() throws InterruptedException {
    final int[] expected = greedyTokens();

    assertTokens(expected, greedy().blocks(6, 2, 4), "in blocks of any order");
  }

  @Test
  void shouldAnswerTheSameTokensInChunks() throws InterruptedException {
    final int[] expected = greedyTokens();

    assertTokens(expected, greedy().chunk(1), "token by token");
    assertTokens(expected, greedy().chunk(shape.kvCache().blockSize()), "block by block");
  }

  @Test
  void shouldAnswerTheSameTokensBesideOthers() throws InterruptedException {
    final int[] expected = greedyTokens();

    assertTokens(expected, greedy().beside(request("other", 3), 7, 8), "in a batch");
  }

  @Test
  void shouldAnswerTheSameTokensAfterAPreemption() throws InterruptedException {
    final int[] expected = greedyTokens();

    assertTokens(expected, greedy().preemptedAfter(3, 5, 3, 7), "computed again in other blocks");
  }

  /** A block can be shared as soon as it is planned: within a layer writes come before reads. */
  @Test
  void shouldReadWhatTheSameStepWrites() throws InterruptedException {
    final int[] expected = greedyTokens();
    final GreedyRun first = greedy().blocks(1, 2, 3);
    final GreedyRun second = greedy().blocks(1, 5, 6).behind(shape.kvCache().blockSize());

    final FakePlan plan = first.add(second.add(plan()));
    run(plan);
    second.take(output, 0);
    first.take(output, 1);

    assertEquals(expected[0], first.token(0), "token of the request that writes the block");
    assertEquals(expected[0], second.token(0), "token of the request that only reads it");
  }

  @Test
  void shouldGoOnInACopiedBlock() throws InterruptedException {
    final int[] expected = greedyTokens();
    final GreedyRun run = greedy().blocks(1, 2, 3);
    step(run);
    final FakePlan plan = run.copied(2, 7).copied(1, 6).add(plan()).copies(2, 7, 1, 6);

    run(plan);
    run.take(output, 0);

    assertEquals(expected[1], run.token(1), "token computed from copied blocks");
  }

  @Test
  void shouldAnswerOtherTokensForOtherPrompts() throws InterruptedException {
    assumeTrue(computesTokens(), "it runs no model");
    final Set<String> answers = new HashSet<>();
    for (int seed = 0; seed < 8; seed++) {
      final GreedyRun run = new GreedyRun(shape, seed).blocks(1, 2, 3);
      finish(run);
      answers.add(Arrays.toString(run.tokens()));
    }

    assertTrue(answers.size() > 1, () -> "eight prompts have got the same tokens: " + answers);
  }

  private GreedyRun greedy() {
    return new GreedyRun(shape, 0);
  }

  private int[] greedyTokens() throws InterruptedException {
    assumeTrue(computesTokens(), "it runs no model");
    final GreedyRun run = greedy().blocks(1, 2, 3);
    finish(run);
    for (int block = 1; block <= BLOCKS; block++) { // so that nothing right is left behind
      final int next = block % BLOCKS + 1;
      final GreedyRun other = new GreedyRun(shape, block).blocks(block, next, next);
      step(other);
      run(plan().ended(other.request()));
    }
    return run.tokens();
  }

  private void assertTokens(int[] expected, GreedyRun run, String how) throws InterruptedException {
    finish(run);
    assertEquals(
        Arrays.toString(expected), Arrays.toString(run.tokens()), () -> "tokens computed " + how);
  }

  private void finish(GreedyRun run) throws InterruptedException {
    while (!run.isDone()) {
      step(run);
    }
    run(plan().ended(run.request()));
  }

  private void step(GreedyRun run) throws InterruptedException {
    final FakePlan plan = run.add(plan());
    run(plan);
    run.take(output, plan.size() - 1);
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
