package dev.headway.testkit.scheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headway.api.Absent;
import dev.headway.api.config.ChunkedPrefill;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.engine.KvCacheContext;
import dev.headway.api.engine.SchedulerContext;
import dev.headway.api.kvcache.KvCacheManager;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.Hold;
import dev.headway.api.request.HoldReason;
import dev.headway.api.request.Request;
import dev.headway.api.request.RequestView;
import dev.headway.api.request.SamplingParams;
import dev.headway.api.request.StopRule;
import dev.headway.api.schedule.BlockFence;
import dev.headway.api.schedule.PauseState;
import dev.headway.api.schedule.ResetScope;
import dev.headway.api.schedule.Scheduler;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * What the engine relies on in a {@link Scheduler}: extend it in a test and give the factories.
 *
 * {@snippet :
 * class MySchedulerTest extends SchedulerContract {
 *   @Override
 *   protected Scheduler create(SchedulerContext context) {
 *     return new MyScheduler(context);
 *   }
 *
 *   @Override
 *   protected KvCacheManager kvCache(KvCacheContext context) {
 *     return new MyKvCache(context.shape());
 *   }
 * }
 * }
 *
 * <p>The world: 4 seats, 32 tokens a step, contexts of 64 tokens, 40 blocks of 4 tokens, one step
 * in flight. Deterministic.
 */
public abstract class SchedulerContract {

  private static final SchedulerLimits LIMITS =
      SchedulerLimits.builder().maxNumSeqs(4).maxNumBatchedTokens(32).maxModelLen(64).build();
  private static final int BLOCKS = 40;
  private final IllegalStateException broken = new IllegalStateException("broken");

  /** For subclasses. */
  protected SchedulerContract() {}

  /** Makes the scheduler to be tested. */
  protected abstract Scheduler create(SchedulerContext context);

  /** Makes a KV cache for it. */
  protected abstract KvCacheManager kvCache(KvCacheContext context);

  /**
   * Whether the scheduler notifies of the reason of every wait and accounts for it; override it
   * with false where it does neither.
   */
  protected boolean explainsWaits() {
    return true;
  }

  private SchedulerRun run() {
    return run(BLOCKS);
  }

  private SchedulerRun run(int blocks) {
    return new SchedulerRun(
        this,
        SchedulerConfig.builder(LIMITS).build(),
        KvCacheShape.builder().blockSize(4).blocks(blocks + 1).build());
  }

  /** Every operation at random; each plan and the counts are checked on the way. */
  @Test
  void shouldKeepItsPromisesUnderRandomUse() {
    for (long seed = 0; seed < 20; seed++) {
      final Random random = new Random(seed);
      final SchedulerRun run = run(seed % 2 == 0 ? BLOCKS : 17);
      for (int operation = 0; operation < 200; operation++) {
        final int dice = random.nextInt(20);
        if (dice < 6) {
          run.add("r" + operation, 1 + random.nextInt(40), 1 + random.nextInt(20));
        } else if (dice == 6) {
          abortAny(run, random);
        } else if (dice == 7) {
          run.fail(run.schedule(), broken, BlockFence.RELEASE);
        } else {
          run.step();
        }
      }
      run.drain();
      assertEquals(run.requests.keySet(), run.ends.keySet(), "every request must end");
    }
  }

  private static void abortAny(SchedulerRun run, Random random) {
    final List<RequestView> alive = new ArrayList<>();
    run.requests.forEach(
        (id, view) -> {
          if (!run.ends.containsKey(id)) {
            alive.add(view);
          }
        });
    if (!alive.isEmpty()) {
      final RequestView victim = alive.get(random.nextInt(alive.size()));
      assertTrue(run.scheduler.finish(victim, FinishReason.ABORTED, null), "it was alive");
      run.checkConservation();
    }
  }

  @Test
  void shouldRunRequestsToTheirEnd() {
    final SchedulerRun run = run();
    run.add("a", 10, 3);
    run.add("long", 50, 5);
    run.add("b", 1, 1);

    run.drain();

    for (String id : run.requests.keySet()) {
      assertEquals(
          FinishReason.LENGTH, SchedulerRun.of(run.ends, id).reason(), "how it ends: id=" + id);
      assertEquals(
          SchedulerRun.of(run.requests, id).request().stopRule().maxTokens(),
          SchedulerRun.of(run.tokens, id).size(),
          "maxTokens must be generated: id=" + id);
    }
  }

  @Test
  void shouldNotifyOfTheFirstAdmissionOfEachRequest() {
    final SchedulerRun run = run();
    for (int i = 0; i < 6; i++) {
      run.add("r" + i, 5, 3);
    }
    final long addedNs = run.clock.nanoTime();

    run.drain();

    assertEquals(run.requests.keySet(), run.firstAdmissions.keySet(), "each is admitted once");
    run.firstAdmissions.forEach(
        (id, ns) -> assertTrue(ns >= addedNs, "admitted after it was added: id=" + id));
  }

  @Test
  void shouldDeliverEveryTokenInOrder() {
    final SchedulerRun run = run();
    for (int i = 0; i < 8; i++) {
      run.add("r" + i, 5 + i, 4 + i);
    }

    run.drain();

    assertEquals(run.answered, run.tokens, "listeners must get what was answered");
  }

  @Test
  void shouldNotifyListenerAndProbeOfEachEndOnce() {
    final SchedulerRun run = run();
    for (int i = 0; i < 6; i++) {
      run.add("r" + i, 5, 3);
    }
    run.scheduler.finish(SchedulerRun.of(run.requests, "r5"), FinishReason.ABORTED, null);

    run.drain();

    assertEquals(run.ends.keySet(), run.events.finished.keySet(), "ends the probe has seen");
    run.events.finished.forEach(
        (id, times) -> assertEquals(1, times, "the probe must be notified once: id=" + id));
  }

  @Test
  void shouldAnnounceEachEndedRequestInAPlanOnce() {
    final SchedulerRun run = run();
    final Set<String> announced = new HashSet<>();
    for (int i = 0; i < 6; i++) {
      run.add("r" + i, 5, 2);
    }

    for (int steps = 0; run.scheduler.hasWork(); steps++) {
      assertTrue(steps < 1_000, "hasWork must become false once all ends are announced");
      final StepPlan plan = run.schedule();
      for (int i = 0; i < plan.finished().size(); i++) {
        final String id = plan.finished().id(i);
        assertTrue(run.ends.containsKey(id), "only ended requests are announced: id=" + id);
        assertTrue(announced.add(id), "an end must be announced once: id=" + id);
        assertEquals(
            SchedulerRun.of(run.requests, id).number(),
            plan.finished().number(i),
            "number of the request " + id);
      }
      run.complete(plan);
    }

    assertEquals(run.requests.keySet(), announced, "requests announced as ended");
  }

  @Test
  void shouldComputeEachTokenOnceUnlessPreempted() {
    final SchedulerRun run = run();
    run.add("a", 50, 6);
    run.add("b", 7, 6);
    final int[] computed = new int[2];

    while (run.ends.size() < 2) {
      final StepPlan plan = run.schedule();
      for (int entry = 0; entry < plan.size(); entry++) {
        final int index = (int) plan.request(entry).number();
        assertEquals(
            computed[index], plan.computedTokens(entry), "where the request continues: " + index);
        computed[index] += plan.scheduledTokens(entry);
      }
      run.complete(plan);
    }
  }

  @Test
  void shouldNotSplitPromptsWithoutChunkedPrefill() {
    final SchedulerConfig whole =
        SchedulerConfig.builder(
                SchedulerLimits.builder()
                    .maxNumSeqs(4)
                    .maxNumBatchedTokens(64)
                    .maxModelLen(64)
                    .build())
            .chunkedPrefill(ChunkedPrefill.DISABLED)
            .build();
    final SchedulerRun run =
        new SchedulerRun(
            this, whole, KvCacheShape.builder().blockSize(4).blocks(BLOCKS + 1).build());
    for (int i = 0; i < 6; i++) {
      run.add("r" + i, 30 + i, 3);
    }

    while (run.ends.size() < 6) {
      final StepPlan plan = run.schedule();
      for (int entry = 0; entry < plan.size(); entry++) {
        assertTrue(plan.samples(entry), "a prompt must be whole: id=" + plan.request(entry).id());
      }
      run.complete(plan);
    }
  }

  @Test
  void shouldHoldARequestUntilAllItsHoldsAreReleased() {
    final SchedulerRun run = run();
    final Hold first = Hold.until(HoldReason.EXTERNAL, new CompletableFuture<>());
    final Hold second = Hold.until(HoldReason.GRAMMAR, new CompletableFuture<>());
    final RequestView held =
        run.add(Request.builder("held", 1, 2, 3).maxTokens(2).hold(first).hold(second).build());
    assertFalse(run.scheduler.hasWork(), "a scheduler whose requests are all held has no work");
    run.add("other", 10, 2);
    while (!run.ends.containsKey("other")) {
      run.step();
    }
    run.step(); // announces the end

    run.scheduler.release(held, second);
    run.scheduler.release(held, second);
    assertFalse(run.scheduler.hasWork(), "a request must be held until its last hold is released");
    assertEquals(Set.of("other"), run.ends.keySet(), "what has ended beside a held request");

    run.scheduler.release(held, first);
    run.drain();
    assertEquals(
        FinishReason.LENGTH, SchedulerRun.of(run.ends, "held").reason(), "the released request");
    run.scheduler.release(held, first); // it has ended
  }

  @Test
  void shouldAbortAHeldRequest() {
    final SchedulerRun run = run();
    final Hold hold = Hold.until(HoldReason.EXTERNAL, new CompletableFuture<>());
    final RequestView held =
        run.add(Request.builder("held", 1, 2, 3).maxTokens(2).hold(hold).build());

    assertAborted(run, held);

    run.scheduler.release(held, hold);
    assertEquals(0, run.step(), "entries of the next step");
  }

  @Test
  void shouldAbortAWaitingRequest() {
    final SchedulerRun run = run();
    final RequestView waiting = run.add("a", 10, 5);

    assertAborted(run, waiting);

    assertEquals(0, run.step(), "entries of the next step");
  }

  @Test
  void shouldAbortARunningRequest() {
    final SchedulerRun run = run();
    final RequestView running = run.add("a", 10, 5);
    run.add("b", 10, 5);
    run.step();

    assertAborted(run, running);

    run.drain();
    assertEquals(
        FinishReason.LENGTH, SchedulerRun.of(run.ends, "b").reason(), "the other request's end");
    assertAllBlocksFree(run);
  }

  @Test
  void shouldAbortARequestWhoseStepIsOut() {
    final SchedulerRun run = run();
    final RequestView running = run.add("a", 10, 5);
    run.add("b", 10, 5);
    final StepPlan plan = run.schedule();

    assertAborted(run, running);
    run.complete(plan);

    assertEquals(List.of(), run.tokens.get("a"), "tokens of the aborted request");
    run.drain();
    assertAllBlocksFree(run);
  }

  private void assertAborted(SchedulerRun run, RequestView request) {
    final String id = request.id();
    assertTrue(
        run.scheduler.finish(request, FinishReason.ABORTED, broken), "it was alive: id=" + id);
    run.checkConservation();
    assertEquals(
        new SchedulerRun.End(FinishReason.ABORTED, broken), run.ends.get(id), "how it ended");
    assertFalse(
        run.scheduler.finish(request, FinishReason.STOP, null), "it was no longer alive: id=" + id);
  }

  @Test
  void shouldEndOnlyTheRequestsOfAFailedStep() {
    final SchedulerRun run = run();
    for (int i = 0; i < 6; i++) { // two more than there are seats
      run.add("r" + i, 6, 3);
    }
    final StepPlan plan = run.schedule();
    final List<String> inStep = new ArrayList<>();
    for (int entry = 0; entry < plan.size(); entry++) {
      inStep.add(plan.request(entry).id());
    }

    run.fail(plan, broken, BlockFence.RELEASE);

    for (String id : run.requests.keySet()) {
      final SchedulerRun.End expected =
          inStep.contains(id) ? new SchedulerRun.End(FinishReason.EXECUTOR_FAILED, broken) : null;
      assertEquals(expected, run.ends.get(id), "how it ended: id=" + id);
    }
    run.drain();
    assertAllBlocksFree(run);
  }

  @Test
  void shouldEndOnlyTheRequestWhoseEntryFailed() {
    final SchedulerRun run = run();
    run.add("a", 6, 3);
    run.add("b", 6, 3);
    run.step();
    final StepPlan plan = run.schedule();
    final String failing = plan.request(0).id();

    run.complete(plan, 0, broken);

    assertEquals(
        new SchedulerRun.End(FinishReason.EXECUTOR_FAILED, broken),
        run.ends.get(failing),
        "how the failing request ended");
    run.drain();
    assertEquals(
        FinishReason.LENGTH,
        SchedulerRun.of(run.ends, failing.equals("a") ? "b" : "a").reason(),
        "how the other ended");
  }

  @Test
  void shouldEndTheRequestsThatDependOnAFailedEntry() {
    final SchedulerRun run = run();
    run.add("a", 6, 3);
    run.add("b", 6, 3);
    run.add("c", 6, 3);
    run.step();
    final StepPlan plan = run.schedule();
    final int failing = 0;
    final String failed = plan.request(failing).id();
    final String dependent = failed.equals("b") ? "c" : "b";
    run.kv.alsoDependent = dependent; // as if it had found blocks of the failed request

    run.complete(plan, failing, broken);
    run.kv.alsoDependent = null;

    run.drain();
    assertEquals(
        FinishReason.EXECUTOR_FAILED,
        SchedulerRun.of(run.ends, failed).reason(),
        "how the failing request ended");
    assertAllBlocksFree(run);
  }

  /** Token ids outside the vocabulary, and more or fewer tokens than an entry samples. */
  @Test
  void shouldEndOnlyTheRequestWithAnImpossibleAnswer() {
    assertRefused(new int[] {SchedulerRun.VOCABULARY});
    assertRefused(new int[] {-1});
    assertRefused(new int[0]);
    assertRefused(new int[] {1, 2});
  }

  private void assertRefused(int[] answer) {
    final SchedulerRun run = run();
    run.add("a", 6, 3);
    run.add("b", 6, 3);
    StepPlan plan = run.schedule();
    while (plan.size() == 0 || !plan.samples(0)) {
      run.complete(plan);
      plan = run.schedule();
    }
    final String refused = plan.request(0).id();
    final String other = refused.equals("a") ? "b" : "a";
    final int before = SchedulerRun.of(run.tokens, refused).size();
    run.output.begin(plan.stepId(), plan.size());
    for (int token : answer) {
      run.output.addToken(0, token);
    }
    for (int entry = 1; entry < plan.size(); entry++) {
      if (plan.samples(entry)) {
        run.answer(plan, entry, 7);
      }
    }

    run.completeWithOutput(plan, true);

    final String at = "answer=" + Arrays.toString(answer);
    final SchedulerRun.End end = SchedulerRun.of(run.ends, refused);
    assertEquals(FinishReason.EXECUTOR_FAILED, end.reason(), () -> "how it ended: " + at);
    assertNotNull(end.cause(), () -> "what was wrong: " + at);
    assertEquals(
        before,
        SchedulerRun.of(run.tokens, refused).size(),
        () -> "nothing of an impossible answer must be delivered: " + at);
    run.drain();
    assertEquals(
        FinishReason.LENGTH,
        SchedulerRun.of(run.ends, other).reason(),
        () -> "how the other ended: " + at);
    assertAllBlocksFree(run);
  }

  @Test
  void shouldRefuseATokenForAChunkOfAPrompt() {
    final SchedulerRun run = run();
    run.add("long", 50, 3);
    final StepPlan plan = run.schedule();
    if (plan.size() == 0 || plan.samples(0)) {
      return; // it does not split prompts
    }
    run.output.begin(plan.stepId(), plan.size());
    run.output.addToken(0, 1);

    run.completeWithOutput(plan, true);

    assertEquals(
        FinishReason.EXECUTOR_FAILED,
        SchedulerRun.of(run.ends, "long").reason(),
        "how a request ends whose chunk was answered with a token");
  }

  @Test
  void shouldEndAtTheTokensOfTheStopRule() {
    final SchedulerRun run = run();
    final StopRule rule = StopRule.maxTokens(20);
    run.add(Request.builder("stop", 1, 2, 3).stopRule(rule.withStopTokenIds(40, 41)).build());
    run.add(Request.builder("eos", 4, 5).stopRule(rule.withEosTokenId(42)).build());
    run.add(Request.builder("neither", 6, 7).stopRule(StopRule.maxTokens(5)).build());
    final Map<String, Integer> last = Map.of("stop", 41, "eos", 42, "neither", 41);

    while (run.ends.size() < 3) {
      final StepPlan plan = run.schedule();
      run.output.begin(plan.stepId(), plan.size());
      for (int entry = 0; entry < plan.size(); entry++) {
        if (plan.samples(entry)) {
          final boolean third = plan.outputTokens(entry) == 2;
          run.answer(plan, entry, third ? SchedulerRun.of(last, plan.request(entry).id()) : 1);
        }
      }
      run.completeWithOutput(plan, false);
    }

    assertEquals(FinishReason.STOP, SchedulerRun.of(run.ends, "stop").reason(), "stop token");
    assertEquals(41, run.stopTokens.get("stop"), "the stop token that ended a request");
    assertEquals(FinishReason.STOP, SchedulerRun.of(run.ends, "eos").reason(), "end of sequence");
    assertEquals(Absent.ABSENT, run.stopTokens.get("eos"), "end of sequence is no stop token");
    assertEquals(FinishReason.LENGTH, SchedulerRun.of(run.ends, "neither").reason(), "no stop");
    assertEquals(Absent.ABSENT, run.stopTokens.get("neither"), "no stop token ended it");
    assertEquals(List.of(1, 1, 41), run.tokens.get("stop"), "tokens, the stop token included");
    assertEquals(List.of(1, 1, 42), run.tokens.get("eos"), "tokens, the end of sequence included");
  }

  @Test
  void shouldDeliverLogProbabilitiesWithTheirTokens() {
    final SchedulerRun run = run();
    final SamplingParams sampling = SamplingParams.builder().logprobs(0).build();
    run.add(Request.builder("with", 1, 2, 3).maxTokens(4).sampling(sampling).build());
    run.add("without", 5, 4);

    run.drain();

    assertEquals(Map.of("with", 4), run.logprobs, "tokens delivered with log-probabilities");
    assertEquals(run.answered, run.tokens, "listeners must get what was answered");
  }

  /** More than fits runs, so that requests are preempted, if the scheduler preempts. */
  @Test
  void shouldTellOfEveryWaitAndPreemption() {
    final SchedulerRun run = run(12);
    for (int i = 0; i < 8; i++) {
      run.add("r" + i, 7 + i, 20);
    }
    run.scheduler.setPauseState(PauseState.NO_ADMISSIONS);
    run.step();
    run.scheduler.setPauseState(PauseState.RUNNING);

    run.drain();

    assertEquals(run.answered, run.tokens, "listeners must get what was answered");
    assertAllBlocksFree(run);
  }

  @Test
  void shouldTellOfRequestsPutBackByAReset() {
    final SchedulerRun run = run();
    for (int i = 0; i < 6; i++) {
      run.add("r" + i, 9, 8);
    }
    run.step();
    run.step();

    run.resetPrefixCache(ResetScope.PREEMPT_RUNNING);

    run.drain();
    assertEquals(run.answered, run.tokens, "listeners must get what was answered");
  }

  @Test
  void shouldHoldTheBlocksOfAFailedStepUntilItsFenceIsReleased() {
    final SchedulerRun run = run();
    run.add("a", 20, 3);
    final StepPlan plan = run.schedule();

    run.fail(plan, broken, BlockFence.HOLD);
    final StepPlan next = run.schedule();
    final int freeWhileHeld = run.kv.freeBlocks();
    run.scheduler.releaseFence(plan.stepId());

    assertTrue(freeWhileHeld < BLOCKS, () -> "blocks must be held: freeBlocks=" + freeWhileHeld);
    assertEquals(BLOCKS, run.kv.freeBlocks(), "blocks must be free once the fence is released");
    run.complete(next);
  }

  @Test
  void shouldGiveBackAllBlocks() {
    final SchedulerRun run = run();
    for (int i = 0; i < 10; i++) {
      run.add("r" + i, 3 + 4 * i, 5);
    }

    run.drain();

    assertAllBlocksFree(run);
  }

  private static void assertAllBlocksFree(SchedulerRun run) {
    run.settle();
    assertEquals(
        run.kv.shape().usableBlocks(), run.kv.freeBlocks(), "blocks must be free at the end");
  }

  @Test
  void shouldPlanNothingWhilePaused() {
    final SchedulerRun run = run();
    run.add("running", 6, 9);
    run.step();
    run.add("waiting", 6, 3);

    run.scheduler.setPauseState(PauseState.PAUSED);
    assertSame(PauseState.PAUSED, run.scheduler.pauseState());
    assertEquals(0, run.step(), "entries while paused");
    run.scheduler.setPauseState(PauseState.NO_ADMISSIONS);
    final StepPlan plan = run.schedule();
    assertEquals(1, plan.size(), "entries without admissions");
    assertEquals("running", plan.request(0).id(), "the request that continues");
    run.complete(plan);
    run.scheduler.setPauseState(PauseState.RUNNING);

    run.drain();
  }

  @Test
  void shouldResetTheCacheOfAnIdleScheduler() {
    final SchedulerRun run = run();
    run.add("a", 6, 3);
    run.drain();
    run.settle();

    assertTrue(run.resetPrefixCache(ResetScope.IDLE_ONLY), "the reset must be done");
    run.add("b", 6, 3);
    run.drain();
  }

  @Test
  void shouldRefuseARequestOfAnotherScheduler() {
    final RequestView foreign = run().add("a", 6, 3);
    final SchedulerRun run = run();
    run.add("a", 6, 3);

    assertThrows(
        IllegalArgumentException.class,
        () -> run.scheduler.finish(foreign, FinishReason.ABORTED, null));
    run.drain();
  }

  @Test
  void shouldRefuseAnOutputThatIsNotForThePlan() {
    final SchedulerRun run = run();
    run.add("a", 6, 3);
    final StepPlan plan = run.schedule();
    final StepOutput wrong = new StepOutput();
    wrong.begin(plan.stepId(), plan.size() + 1);

    assertThrows(
        IllegalArgumentException.class, () -> run.scheduler.complete(plan, wrong), "wrong size");
    wrong.begin(plan.stepId() + 1, plan.size());
    assertThrows(
        IllegalArgumentException.class, () -> run.scheduler.complete(plan, wrong), "wrong step");
    run.complete(plan);
    assertThrows(
        IllegalStateException.class, () -> run.scheduler.complete(plan, run.output), "twice");
    run.drain();
  }

  @Test
  void shouldRefuseMoreStepsThanMayBeOut() {
    final SchedulerRun run = run();
    run.add("a", 6, 3);
    final StepPlan plan = run.schedule();

    assertThrows(IllegalStateException.class, () -> run.scheduler.schedule());

    run.complete(plan);
  }

  @Test
  void shouldCountItsStepsAndEndsForAnyThread() {
    final SchedulerRun run = run();
    run.add("a", 6, 3);
    run.add("b", 6, 3);
    run.drain();

    final var stats = CompletableFuture.supplyAsync(run.scheduler::stats).join();

    assertEquals(run.events.planned.size(), stats.steps(), "steps");
    assertEquals(2, stats.finished(), "finished");
  }
}
