package dev.headway.scheduler.engine;

import static dev.headway.scheduler.engine.Engines.LIMITS;
import static dev.headway.scheduler.engine.Engines.SHAPE;
import static dev.headway.scheduler.engine.Engines.builder;
import static dev.headway.scheduler.engine.Engines.executor;
import static dev.headway.scheduler.engine.Engines.request;
import static dev.headway.scheduler.engine.Engines.stepUntilIdle;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.engine.Engine;
import dev.headway.api.engine.EngineState;
import dev.headway.api.engine.RequestHandle;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheManager;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.kvcache.KvCacheStats;
import dev.headway.api.probe.Probe;
import dev.headway.api.probe.RunInfo;
import dev.headway.kvcache.BlockHasher;
import dev.headway.kvcache.KvCacheManagers;
import dev.headway.scheduler.core.ContinuousBatchingScheduler;
import dev.headway.scheduler.time.VirtualClock;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Options that an engine cannot be built with. */
class EngineBuilderTest {

  private final ScriptedExecutor executor = executor();

  @Test
  void shouldTakeItsLimitsFromTheExecutorUnlessSet() {
    final AtomicReference<RunInfo> run = new AtomicReference<>();

    final Engine engine =
        HeadwayEngine.builder(executor)
            .clock(new VirtualClock())
            .probe(
                new Probe() {
                  @Override
                  public void onRunStarted(RunInfo started) {
                    run.set(started);
                  }
                })
            .build();
    final RequestHandle handle = engine.submit(request("r", 3));
    stepUntilIdle(engine);

    assertThat(run.get().config())
        .isEqualTo(SchedulerConfig.builder(SchedulerLimits.builder(SHAPE).build()).build());
    assertThat(run.get().config().limits())
        .hasToString("SchedulerLimits[maxNumSeqs=8, maxNumBatchedTokens=2048, maxModelLen=256]");
    assertThat(handle.isDone()).isTrue();
  }

  @Test
  void shouldRefuseMoreTokensOrContextThanTheExecutorHas() {
    final ExecutorShape narrow =
        ExecutorShape.builder()
            .kvCache(SHAPE.kvCache())
            .maxNumSeqs(8)
            .vocabularySize(1_000)
            .maxNumBatchedTokens(64)
            .maxModelLen(128)
            .build();
    final EngineBuilder builder = HeadwayEngine.builder(new ScriptedExecutor(narrow));
    final SchedulerLimits.Builder limits = SchedulerLimits.builder(narrow);

    assertThatThrownBy(builder.limits(limits.maxNumBatchedTokens(65).build())::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "maxNumBatchedTokens must be <= the executor's: maxNumBatchedTokens=65,"
                + " executor.maxNumBatchedTokens=64");
    limits.maxNumBatchedTokens(64).maxModelLen(129);
    assertThatThrownBy(builder.limits(limits.build())::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "maxModelLen must be <= the executor's: maxModelLen=129, executor.maxModelLen=128");
  }

  @Test
  void shouldRefuseMoreSeatsThanTheExecutorHas() {
    final EngineBuilder builder =
        builder(executor)
            .limits(
                SchedulerLimits.builder()
                    .maxNumSeqs(9)
                    .maxNumBatchedTokens(64)
                    .maxModelLen(128)
                    .build());

    assertThatThrownBy(builder::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("maxNumSeqs must be <= the executor's: maxNumSeqs=9, executor.maxNumSeqs=8");
  }

  @Test
  void shouldRefuseAQueueWithoutRoom() {
    assertThatThrownBy(() -> builder(executor).submissionQueueCapacity(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("submissionQueueCapacity must be >= 1: submissionQueueCapacity=0");
    assertThatThrownBy(() -> builder(executor).submissionQueueCapacity(-7))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("submissionQueueCapacity must be >= 1: submissionQueueCapacity=-7");
  }

  @Test
  void shouldRefuseAnExecutorTimeoutThatIsNotPositive() {
    assertThatThrownBy(() -> builder(executor).executorTimeout(Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("executorTimeout must be > 0: executorTimeout=PT0S");
    assertThatThrownBy(() -> builder(executor).executorTimeout(Duration.ofSeconds(-1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("executorTimeout must be > 0: executorTimeout=PT-1S");
  }

  @Test
  void shouldTakeAnExecutorTimeoutLongerThanALongCanHold() {
    final List<Long> timeouts = new ArrayList<>();
    executor.alwaysAwait(
        (plan, output, timeoutNs) -> {
          timeouts.add(timeoutNs);
          return ScriptedExecutor.answer(plan, output);
        });
    final Engine engine =
        builder(executor).executorTimeout(ChronoUnit.FOREVER.getDuration()).build();

    engine.submit(request("a", 1));
    engine.step();

    assertThat(timeouts).containsExactly(Long.MAX_VALUE);
  }

  @Test
  void shouldRefuseAProbeNamedTwice() {
    final EngineBuilder builder = builder(executor).probe("csv");

    assertThatThrownBy(() -> builder.probe("csv", Map.of("dir", "x")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("a probe must be named once: name='csv'");
  }

  @Test
  void shouldRefuseAProbeGivenTwice() {
    final Probe probe = new SilentProbe();
    final EngineBuilder builder = builder(executor).probe(probe).probe(new SilentProbe());

    assertThatThrownBy(() -> builder.probe(probe))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("a probe must be given once: class=" + SilentProbe.class.getName());
  }

  @Test
  void shouldTellProbesOfTheRunFirst() {
    final List<String> heard = new ArrayList<>();
    final Probe probe =
        new Probe() {
          @Override
          public void onRunStarted(RunInfo run) {
            heard.add(
                run.executor()
                    + " "
                    + run.kvCache().numBlocks()
                    + " "
                    + run.config().limits().maxModelLen()
                    + " "
                    + run.virtualTime()
                    + " "
                    + run.attributes());
          }

          @Override
          public void onIdle(long nowNs) {
            heard.add("idle");
          }
        };

    builder(executor).attribute("seed", "7").policy("no-evict").probe(probe).build();

    assertThat(heard).hasSize(1);
    assertThat(heard.getFirst())
        .startsWith("ScriptedExecutor 65 128 true {")
        .contains("seed=7", "policies=no-evict", "hardware=script");
  }

  @Test
  void shouldStandStillUntilItIsDriven() {
    final Engine engine = builder(executor).build();

    assertThat(engine.state()).isEqualTo(EngineState.NEW);
    assertThat(engine.stats().steps()).isZero();
    assertThat(engine.step()).isFalse();
    assertThat(executor.submits).hasValue(0);
  }

  @Test
  void shouldRunTwoEnginesOfDifferentConfigurationSideBySide() {
    final ScriptedExecutor otherExecutor = new ScriptedExecutor(SHAPE);
    final Engine one =
        builder(executor)
            .limits(
                SchedulerLimits.builder()
                    .maxNumSeqs(1)
                    .maxNumBatchedTokens(4)
                    .maxModelLen(16)
                    .build())
            .build();
    final Engine two =
        builder(otherExecutor)
            .limits(
                SchedulerLimits.builder()
                    .maxNumSeqs(8)
                    .maxNumBatchedTokens(64)
                    .maxModelLen(128)
                    .build())
            .build();
    final Heard heardOne = new Heard();
    final Heard heardTwo = new Heard();

    one.submit(request("same", 50), heardOne);
    two.submit(request("same", 50), heardTwo);
    for (int i = 0; i < 60; i++) {
      one.step();
      two.step();
    }
    one.close();
    final Heard after = new Heard();
    two.submit(request("after", 1), after);
    stepUntilIdle(two);

    assertThat(heardOne.events).hasSize(12).endsWith("LENGTH/11"); // context of 16
    assertThat(heardTwo.events).hasSize(51).endsWith("LENGTH/50");
    assertThat(after.events).endsWith("LENGTH/1");
    assertThat(executor.closes).hasValue(1);
    assertThat(otherExecutor.closes).hasValue(0);
    assertThat(one.stats().steps()).isNotEqualTo(two.stats().steps());
  }

  @Test
  void shouldGiveTheFactoriesWhatTheEngineIsMadeOf() {
    final VirtualClock clock = new VirtualClock();
    final AtomicReference<KvCacheManager> cache = new AtomicReference<>();
    final Engine engine =
        builder(executor)
            .clock(clock)
            .kvCache(
                context -> {
                  assertThat(context.clock()).isSameAs(clock);
                  assertThat(context.config().limits()).isEqualTo(LIMITS);
                  cache.set(
                      KvCacheManagers.builder(context.shape(), LIMITS.maxModelLen())
                          .listener(context.listener())
                          .build());
                  return cache.get();
                })
            .scheduler(
                context -> {
                  assertThat(context.kvCache()).isSameAs(cache.get());
                  assertThat(context.clock()).isSameAs(clock);
                  assertThat(context.executorShape()).isEqualTo(SHAPE);
                  return ContinuousBatchingScheduler.of(context);
                })
            .build();

    engine.submit(request("a", 3));
    stepUntilIdle(engine);

    assertThat(engine.stats().scheduler().finished()).isEqualTo(1);
    assertThat(engine.stats().scheduler().steps()).isEqualTo(engine.stats().steps());
    assertThat(engine.stats().kvCache())
        .isEqualTo(KvCacheStats.builder().usableBlocks(64).freeBlocks(64).build());
  }

  @Test
  void shouldCountHeldBlocksWhileARequestRuns() {
    final Engine engine = builder(executor).build();
    engine.submit(request("a", 3));

    engine.step();

    assertThat(engine.stats().kvCache().heldBlocks()).isEqualTo(2);
    assertThat(engine.stats().kvCache())
        .hasToString("KvCacheStats[usableBlocks=64, freeBlocks=62, quarantinedBlocks=0]");
  }

  @Test
  void shouldRefuseAKvCacheOfAnotherShape() {
    final KvCacheShape other = KvCacheShape.builder().blockSize(4).blocks(33).build();
    final EngineBuilder builder =
        builder(executor).kvCache(context -> KvCacheManagers.builder(other, 128).build());

    assertThatThrownBy(builder::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "the KV cache must have the executor's shape: kvCache="
                + other
                + ", executor="
                + SHAPE.kvCache());
  }

  @Test
  void shouldRefuseAHasherForAKvCacheOfTheUsers() {
    final EngineBuilder builder =
        builder(executor)
            .hasher(BlockHasher.fixedKey(1, 2))
            .kvCache(context -> KvCacheManagers.builder(context.shape(), 128).build());

    assertThatThrownBy(builder::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("hasher is for the default KV cache: set it or kvCache, not both");
  }

  private static final class SilentProbe implements Probe {}
}
