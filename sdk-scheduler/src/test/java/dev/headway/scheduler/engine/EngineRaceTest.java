package dev.headway.scheduler.engine;

import static dev.headway.scheduler.engine.Engines.SHAPE;
import static dev.headway.scheduler.engine.Engines.prompt;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.engine.Engine;
import dev.headway.api.engine.EngineState;
import dev.headway.api.engine.EngineStats;
import dev.headway.api.engine.RequestHandle;
import dev.headway.api.engine.RequestOutcome;
import dev.headway.api.engine.RequestOutcome.Rejected;
import dev.headway.api.engine.TokenListener;
import dev.headway.api.request.RejectReason;
import dev.headway.api.schedule.ResetScope;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Four threads submit and cancel while the engine runs and a fifth closes or drains it at a random
 * moment. Whatever the interleaving, every handle ends once and the counts add up.
 */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EngineRaceTest {

  private static final int SUBMITTERS = 4;

  @Test
  void shouldEndEveryHandleOnceWhateverTheMomentOfClose() throws Exception {
    for (int seed = 0; seed < 150; seed++) {
      new Round(seed, 300).run();
    }
  }

  @Test
  @Tag("slow")
  void shouldEndEveryHandleOnceWhateverTheMomentOfCloseOverManySeeds() throws Exception {
    for (int seed = 1_000; seed < 4_000; seed++) {
      new Round(seed, 1 + seed % 2_000).run();
    }
  }

  @Test
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD) // a lost one costs a second
  void shouldNotLoseAWakeUp() {
    final Engine engine = HeadwayEngine.builder(Engines.executor()).limits(Engines.LIMITS).build();
    engine.start(Engines::daemon);

    for (int i = 0; i < 20_000; i++) { // the engine goes to rest after each
      assertThat(Engines.await(engine.submit(prompt("r" + i, 3, 1))).outputTokens()).isEqualTo(1);
    }

    engine.close();
  }

  @Test
  void shouldAnswerDrainOnlyWhenNothingIsOnItsWayIn() throws Exception {
    for (int seed = 0; seed < 300; seed++) {
      final Engine engine =
          HeadwayEngine.builder(Engines.executor()).limits(Engines.LIMITS).build();
      engine.start(Engines::daemon);
      final CountDownLatch go = new CountDownLatch(1);
      final ConcurrentLinkedQueue<RequestHandle> handles = new ConcurrentLinkedQueue<>();
      final List<Thread> threads = new ArrayList<>();
      for (int t = 0; t < 2; t++) {
        final int thread = t;
        threads.add(
            Thread.ofPlatform()
                .start(
                    () -> {
                      await(go);
                      for (int i = 0; i < 50; i++) {
                        handles.add(engine.submit(prompt(thread + "-" + i, 3, 1)));
                      }
                    }));
      }
      go.countDown();
      spin(seed * 37);

      assertThat(engine.drain(Duration.ofSeconds(20))).as("seed %d", seed).isTrue();
      final EngineStats stats = engine.stats();
      for (Thread thread : threads) {
        thread.join();
      }

      assertThat(handles)
          .as("seed %d", seed)
          .allSatisfy(handle -> assertThat(handle.isDone()).isTrue());
      assertThat(engine.stats().finished()).as("seed %d", seed).isEqualTo(stats.finished());
      engine.close();
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static void spin(int rounds) {
    for (int i = 0; i < rounds; i++) {
      Thread.onSpinWait();
    }
  }

  /** One engine from start to end. */
  private static final class Round {

    private final int seed;
    private final int perThread;
    private final Engine engine;
    private final ConcurrentLinkedQueue<Ends> ends = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<CompletableFuture<Boolean>> resets =
        new ConcurrentLinkedQueue<>();
    private final CountDownLatch go = new CountDownLatch(1);

    Round(int seed, int perThread) {
      this.seed = seed;
      this.perThread = perThread;
      engine =
          HeadwayEngine.builder(new ScriptedExecutor(SHAPE))
              .limits(
                  SchedulerLimits.builder()
                      .maxNumSeqs(1 + seed % 8)
                      .maxNumBatchedTokens(64)
                      .maxModelLen(128)
                      .build())
              .submissionQueueCapacity(1 + seed % 64)
              .build();
    }

    void run() throws Exception {
      if (seed % 5 != 0) {
        engine.start(Engines::daemon);
      }
      try (ExecutorService threads = Executors.newFixedThreadPool(SUBMITTERS + 1)) {
        final List<Future<?>> running = new ArrayList<>();
        for (int t = 0; t < SUBMITTERS; t++) {
          final int thread = t;
          running.add(threads.submit(() -> submitAndCancel(thread)));
        }
        running.add(threads.submit(this::end));
        go.countDown();
        if (seed % 5 == 0) { // driven by a caller, started while others submit, or never
          driveOrStart();
        }
        for (Future<?> each : running) {
          each.get(60, TimeUnit.SECONDS);
        }
      }
      engine.close();
      verify();
    }

    private void driveOrStart() {
      try {
        if (seed % 2 == 0) {
          while (true) {
            engine.step();
          }
        }
        engine.start(Engines::daemon);
      } catch (IllegalStateException closed) {
        assertThat(closed).hasMessageMatching("engine must .*");
      }
    }

    private void submitAndCancel(int thread) {
      final SplittableRandom random = new SplittableRandom(31L * seed + thread);
      await(go);
      for (int i = 0; i < perThread; i++) {
        final String id = random.nextInt(10) == 0 ? "shared" : thread + "-" + i;
        final Ends end = new Ends(id);
        ends.add(end);
        end.handle.set(engine.submit(prompt(id, 1 + random.nextInt(130), 1 + i % 7), end));
        if (random.nextInt(3) == 0) {
          end.handle.get().cancel();
        }
        if (random.nextInt(100) == 0) {
          resets.add(engine.resetPrefixCache(ResetScope.PREEMPT_RUNNING).toCompletableFuture());
        }
      }
    }

    private void end() {
      final SplittableRandom random = new SplittableRandom(seed);
      await(go);
      spin(random.nextInt(20_000));
      if (seed % 3 == 0 && seed % 5 != 0) {
        try {
          engine.drain(Duration.ofMillis(random.nextInt(20)));
        } catch (InterruptedException e) {
          throw new AssertionError(e);
        }
      }
      engine.close();
    }

    private void verify() {
      final EngineStats stats = engine.stats();
      final String at = "seed " + seed + " " + stats;
      assertThat(engine.state()).as(at).isEqualTo(EngineState.CLOSED);
      int rejected = 0;
      for (Ends end : ends) {
        final RequestHandle handle = end.handle.get();
        assertThat(handle.isDone()).as("%s: %s", at, handle.id()).isTrue();
        assertThat(handle.outcome().toCompletableFuture()).as(at).isDone();
        assertThat(end.ends).as("%s: ends of %s", at, handle.id()).hasValue(1);
        assertThat(end.afterTheEnd).as("%s: tokens after the end", at).hasValue(0);
        final RequestOutcome outcome = Engines.outcome(handle);
        assertThat(end.tokens).as("%s: tokens of %s", at, outcome).hasValue(outcome.outputTokens());
        if (outcome instanceof Rejected refused) {
          rejected++;
          assertThat(refused.reason()).as(at).isNotEqualTo(RejectReason.MIN_TOKENS_UNREACHABLE);
        }
      }
      assertThat(resets).as(at).allSatisfy(reset -> assertThat(reset).isDone());
      assertThat(stats.submitted()).as(at).isEqualTo(ends.size());
      assertThat(stats.rejected()).as(at).isEqualTo(rejected);
      assertThat(stats.finished()).as(at).isEqualTo(ends.size() - rejected);
      assertThat(stats.waiting() + stats.running()).as(at).isZero();
      assertThat(stats.stepsFailed() + stats.listenersFailed()).as(at).isZero();
    }
  }

  /** Counts what one request is told. */
  private static final class Ends implements TokenListener {

    final AtomicReference<RequestHandle> handle = new AtomicReference<>();
    final AtomicInteger ends = new AtomicInteger();
    final AtomicInteger tokens = new AtomicInteger();
    final AtomicInteger afterTheEnd = new AtomicInteger();
    private final String id;

    Ends(String id) {
      this.id = id;
    }

    @Override
    public void onToken(int index, int tokenId) {
      afterTheEnd.addAndGet(ends.get());
      if (index != tokens.getAndIncrement()) {
        throw new AssertionError("out of order: id=" + id + ", index=" + index);
      }
    }

    @Override
    public void onDone(RequestOutcome outcome) {
      ends.incrementAndGet();
    }
  }
}
