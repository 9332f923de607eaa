package dev.headway.testkit.executor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.headway.api.executor.Executor;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.executor.KvBlockAccess;
import dev.headway.api.request.PlannedRequest;
import dev.headway.api.request.Request;
import dev.headway.api.step.EntryKind;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import dev.headway.testkit.FakePlan;
import dev.headway.testkit.FakeRequest;
import java.nio.BufferOverflowException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
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
  private static final long SHORT_NS = TimeUnit.MILLISECONDS.toNanos(20);

  private final StepOutput output = new StepOutput();
  private Executor executor;
  private ExecutorShape shape;
  private long steps;
  private long requests;
  private boolean closed;

  /** For subclasses. */
  @SuppressWarnings("NullAway.Init")
  protected ExecutorContract() {}

  /** Makes the executor to be tested. */
  protected abstract Executor create();

  /**
   * Whether it runs a model: equal prompts get equal tokens under greedy sampling, and the KV of
   * all tokens before decides each. Then it is tested that blocks, chunks, batches, preemptions,
   * block operations and, with two host blocks, transfers change no token, nor does writing a block
   * from outside where {@code kvBlockAccess} lets one; which needs 8 usable blocks of at least 4
   * tokens, and contexts of three of them. What is wrong in the same way wherever a token is
   * computed needs a golden test.
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

  /** An engine that is built on it would wait for ever. */
  @Test
  void shouldRefuseAStepWhenItIsClosed() {
    executor.close();
    closed = true;

    final IllegalStateException refusal =
        assertThrows(IllegalStateException.class, () -> executor.submit(plan()));

    assertTrue(
        String.valueOf(refusal.getMessage()).contains("closed"),
        () -> "the message must say that it is closed: " + refusal.getMessage());
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
    submitLate();

    assertFalse(executor.await(output, SHORT_NS), "a step of a second, awaited for 20 ms");
    assertEquals(0, output.tokenCount(0), "tokens of a step that is not answered");
    assertFalse(executor.await(output, SHORT_NS), "the step must still be out");
  }

  @Test
  void shouldThrowWhenALongWaitIsInterrupted() throws InterruptedException {
    submitLate();

    Thread.currentThread().interrupt();
    try {
      assertThrows(InterruptedException.class, () -> executor.await(output, 25 * SHORT_NS));
    } finally {
      Thread.interrupted();
    }
    assertFalse(executor.await(output, SHORT_NS), "the step must still be out");
  }

  private void submitLate() {
    final Executor late = createLate();
    assumeTrue(late != null, "no step takes long");
    executor.close();
    executor = Objects.requireNonNull(late);
    final FakePlan plan = plan().entry(request("a", 4), 0, 4, blocks(1, 4));
    executor.submit(plan);
    output.begin(plan.stepId(), plan.size());
  }

  @Test
  void shouldAnswerTheSameTokensInOtherBlocks() throws InterruptedException {
    final int[] expected = tokensOf(0);

    assertTokens(expected, greedy(0).blocks(6, 2, 4), "in blocks of any order");
  }

  @Test
  void shouldAnswerTheSameTokensInChunks() throws InterruptedException {
    final int[] expected = tokensOf(0);

    assertTokens(expected, greedy(0).chunk(1), "token by token");
    assertTokens(expected, greedy(0).chunk(shape.kvCache().blockSize()), "block by block");
  }

  @Test
  void shouldAnswerTheSameTokensBesideOthers() throws InterruptedException {
    final int[] expected = tokensOf(0);
    final int[] others = tokensOf(1);
    final GreedyRun run = greedy(0).blocks(6, 2, 4);
    final GreedyRun other = greedy(1).blocks(5, 1, 7);

    finish(run, other);

    assertTokens(expected, run, "in a batch");
    assertTokens(others, other, "in a batch");
  }

  /** Each writes between two steps of the other: neither may find the other's KV in its place. */
  @Test
  void shouldAnswerTheSameTokensInTurns() throws InterruptedException {
    final int[] expected = tokensOf(0);
    final int[] others = tokensOf(1);
    final GreedyRun run = greedy(0).blocks(6, 2, 4).chunk(3);
    final GreedyRun other = greedy(1).blocks(5, 1, 7).chunk(3);

    while (!run.isDone() || !other.isDone()) {
      step(run);
      step(other);
    }

    assertTokens(expected, run, "in turns");
    assertTokens(others, other, "in turns");
  }

  @Test
  void shouldAnswerTheSameTokensAfterAPreemption() throws InterruptedException {
    final int[] expected = tokensOf(0);

    assertTokens(expected, greedy(0).preemptedAfter(3, 5, 3, 7), "computed again in other blocks");
  }

  /** A block can be shared as soon as it is planned: within a layer writes come before reads. */
  @Test
  void shouldReadWhatTheSameStepWrites() throws InterruptedException {
    final int[] expected = tokensOf(0);
    final GreedyRun writer = greedy(0).blocks(1, 2, 3);
    final GreedyRun reader = greedy(0).blocks(1, 5, 6).behind(shape.kvCache().blockSize());

    step(writer, reader);

    assertEquals(expected[0], writer.token(0), "token of the request that writes the block");
    assertEquals(expected[0], reader.token(0), "token of the request that only reads it");
  }

  @Test
  void shouldReadWhatALaterEntryWrites() throws InterruptedException {
    final int[] expected = tokensOf(0);
    final GreedyRun writer = greedy(0).blocks(1, 2, 3);
    final GreedyRun reader = greedy(0).blocks(1, 5, 6).behind(shape.kvCache().blockSize());

    step(reader, writer);

    assertEquals(expected[0], writer.token(0), "token of the request that writes the block");
    assertEquals(expected[0], reader.token(0), "token of the request that only reads it");
  }

  /** Zeroing comes before copies, and these in their order: each uses what the one before left. */
  @Test
  void shouldGoOnInACopiedBlock() throws InterruptedException {
    final int[] expected = tokensOf(0);
    final GreedyRun run = greedy(0).blocks(1, 2, 3);
    step(run);

    final FakePlan plan = plan().zeroed(6, 7, 8).copies(1, 8, 8, 6, 2, 8, 8, 7);
    step(plan, run.blocks(6, 7, 3));

    assertEquals(expected[1], run.token(1), "token computed from copied blocks");
  }

  /** Saves, loads, copies, then the entries; a block can be saved and loaded in one step. */
  @Test
  void shouldReadWhatTheHostKept() throws InterruptedException {
    assumeTrue(shape.hostBlocks() >= 2, "no two blocks in host memory");
    final int[] expected = tokensOf(0);
    final int[] others = tokensOf(1);
    final GreedyRun run = greedy(0).blocks(1, 2, 3);
    final GreedyRun other = greedy(1).blocks(1, 4, 5);
    step(run);

    step(plan().saves(1, 0), other); // which writes block 1
    step(plan().saves(1, 1).loads(0, 1).copies(1, 6), run.blocks(6, 2, 3));
    step(plan().loads(1, 7), other.blocks(7, 4, 5));

    assertEquals(expected[1], run.token(1), "token computed from a block saved, loaded, copied");
    assertEquals(others[1], other.token(1), "token computed from a block saved while one loads");
  }

  /** What is read out of blocks and written into others is their KV. */
  @Test
  void shouldGoOnInABlockWrittenFromOutside() throws InterruptedException {
    final KvBlockAccess access = blockAccess();
    final int[] expected = tokensOf(0);
    final GreedyRun run = greedy(0).blocks(1, 2, 3);
    step(run);
    final ByteBuffer bytes = ByteBuffer.allocate(1 + 2 * access.blockBytes()).position(1);

    access.read(1, bytes);
    access.read(2, bytes);
    assertFalse(bytes.hasRemaining(), "the position must move behind what is read");
    step(greedy(1).blocks(1, 2, 3));
    bytes.position(1);
    access.write(6, bytes);
    access.write(5, bytes);
    assertFalse(bytes.hasRemaining(), "the position must move behind what is written");

    finish(run.blocks(6, 5, 4));
    assertTokens(expected, run, "in blocks written from outside");
  }

  @Test
  void shouldRefuseBlocksThatAreNotThere() {
    final KvBlockAccess access = blockAccess();
    final ByteBuffer bytes = ByteBuffer.allocate(access.blockBytes());
    final ByteBuffer small = ByteBuffer.allocate(access.blockBytes() - 1);

    assertFalse(access.layout().isBlank(), "the layout must not be blank");
    for (int block : new int[] {-1, 0, shape.kvCache().numBlocks()}) {
      assertThrows(IndexOutOfBoundsException.class, () -> access.read(block, bytes));
      assertThrows(IndexOutOfBoundsException.class, () -> access.write(block, bytes));
    }
    assertThrows(BufferOverflowException.class, () -> access.read(1, small));
    assertThrows(BufferUnderflowException.class, () -> access.write(1, small));
    executor.close();
    closed = true;
    assertThrows(IllegalStateException.class, () -> access.read(1, bytes));
    assertThrows(IllegalStateException.class, () -> access.write(1, bytes));
  }

  private KvBlockAccess blockAccess() {
    final KvBlockAccess access = executor.kvBlockAccess();
    assumeTrue(access != null, "its blocks cannot be reached from outside");
    return Objects.requireNonNull(access);
  }

  /** All end in the same token: what comes before it must count. */
  @Test
  void shouldAnswerOtherTokensForOtherPrompts() throws InterruptedException {
    final Set<String> answers = new HashSet<>();
    for (int seed = 0; seed < 8; seed++) {
      answers.add(Arrays.toString(tokensOf(seed)));
    }

    assertTrue(answers.size() > 1, () -> "eight prompts have got the same tokens: " + answers);
  }

  private GreedyRun greedy(long seed) {
    return new GreedyRun(shape, seed, requests++);
  }

  /** What a prompt gets alone, at once, in a row of blocks; leaves nothing of it in any block. */
  private int[] tokensOf(long seed) throws InterruptedException {
    assumeTrue(computesTokens(), "it runs no model");
    final GreedyRun run = greedy(seed).blocks(1, 2, 3);
    finish(run);
    for (int block = 1; block <= BLOCKS; block++) {
      final int next = block % BLOCKS + 1;
      final GreedyRun other = greedy(seed + 100 + block).blocks(block, next, next);
      step(other);
      run(plan().ended(other.request()));
    }
    return run.tokens();
  }

  private void assertTokens(int[] expected, GreedyRun run, String how) throws InterruptedException {
    if (!run.isDone()) {
      finish(run);
    }
    assertEquals(
        Arrays.toString(expected),
        Arrays.toString(run.tokens()),
        () -> "tokens computed " + how + ", " + run);
  }

  private void finish(GreedyRun... runs) throws InterruptedException {
    while (!runs[0].isDone()) {
      step(runs);
    }
    final FakePlan ends = plan();
    for (GreedyRun run : runs) {
      ends.ended(run.request());
    }
    run(ends);
  }

  private void step(GreedyRun... runs) throws InterruptedException {
    step(plan(), runs);
  }

  private void step(FakePlan plan, GreedyRun... runs) throws InterruptedException {
    for (GreedyRun run : runs) {
      run.add(plan);
    }
    run(plan);
    assertAnswers(plan);
    for (int entry = 0; entry < runs.length; entry++) {
      runs[entry].take(output, entry);
    }
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
