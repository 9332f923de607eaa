package dev.headway.scheduler.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.engine.Engine;
import dev.headway.api.engine.RequestHandle;
import dev.headway.api.engine.RequestOutcome;
import dev.headway.api.engine.RequestOutcome.Finished;
import dev.headway.api.engine.RequestOutcome.Rejected;
import dev.headway.api.executor.Executor;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.probe.Probe;
import dev.headway.api.request.Request;
import dev.headway.api.schedule.Scheduler;
import dev.headway.api.time.NanoClock;
import dev.headway.scheduler.core.ContinuousBatchingScheduler;
import dev.headway.scheduler.time.VirtualClock;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/** Engines, requests and outcomes with defaults for whatever a test is not about. */
final class Engines {

  /** 64 usable blocks of 4 tokens, 8 seats, 1,000 tokens. */
  static final ExecutorShape SHAPE =
      ExecutorShape.builder()
          .kvCache(KvCacheShape.builder().blockSize(4).blocks(65).build())
          .maxNumSeqs(8)
          .vocabularySize(1_000)
          .build();

  /** 8 seats, 64 tokens a step, contexts of up to 128 tokens. */
  static final SchedulerLimits LIMITS =
      SchedulerLimits.builder().maxNumSeqs(8).maxNumBatchedTokens(64).maxModelLen(128).build();

  private Engines() {}

  static ScriptedExecutor executor() {
    return new ScriptedExecutor(SHAPE);
  }

  /** In virtual time, driven by the caller. */
  static EngineBuilder builder(Executor executor) {
    return HeadwayEngine.builder(executor).limits(LIMITS).clock(new VirtualClock());
  }

  static Engine engine(Executor executor, Probe... probes) {
    final EngineBuilder builder = builder(executor);
    Arrays.stream(probes).forEach(builder::probe);
    return builder.build();
  }

  /** On the machine's clock, with a thread of its own. */
  static Engine started(Executor executor, Probe... probes) {
    final EngineBuilder builder = HeadwayEngine.builder(executor).limits(LIMITS);
    Arrays.stream(probes).forEach(builder::probe);
    final Engine engine = builder.build();
    engine.start(Engines::daemon);
    return engine;
  }

  static Thread daemon(Runnable task) {
    return Thread.ofPlatform().name("engine-under-test").daemon().unstarted(task);
  }

  /** An engine around a scheduler that a test has tampered with. */
  static Engine around(UnaryOperator<Scheduler> tampering, Executor executor, Probe... probes) {
    return around(tampering, executor, new VirtualClock(), probes);
  }

  static Engine around(
      UnaryOperator<Scheduler> tampering, Executor executor, NanoClock clock, Probe... probes) {
    final EngineBuilder builder =
        HeadwayEngine.builder(executor)
            .limits(LIMITS)
            .clock(clock)
            .submissionQueueCapacity(16)
            .executorTimeout(Duration.ofSeconds(10))
            .scheduler(context -> tampering.apply(ContinuousBatchingScheduler.of(context)));
    Arrays.stream(probes).forEach(builder::probe);
    return builder.build();
  }

  /** A prompt of five tokens and {@code outputs} outputs. */
  static Request request(String id, int outputs) {
    return Request.builder(id, 1, 2, 3, 4, 5).maxTokens(outputs).build();
  }

  /** A request of which nothing is shared with others: a prompt of {@code tokens} tokens. */
  static Request prompt(String id, int tokens, int outputs) {
    final int[] ids = new int[tokens];
    for (int i = 0; i < tokens; i++) {
      ids[i] = Math.floorMod(31 * id.hashCode() + i, 1_000);
    }
    return Request.builder(id, ids).maxTokens(outputs).build();
  }

  static void stepUntilIdle(Engine engine) {
    for (int i = 0; i < 1_000; i++) {
      if (!engine.step()) {
        return;
      }
    }
    throw new AssertionError("engine must become idle within 1,000 steps: " + engine.stats());
  }

  /** The outcome of a request that must be done. */
  static RequestOutcome outcome(RequestHandle handle) {
    assertThat(handle.isDone()).as("done: %s", handle.id()).isTrue();
    return handle.outcome().toCompletableFuture().join();
  }

  static Finished finished(RequestHandle handle) {
    return (Finished) outcome(handle);
  }

  static Rejected rejected(RequestHandle handle) {
    return (Rejected) outcome(handle);
  }

  /** Waits for an engine with a thread of its own; in vain for at most 20 s. */
  static RequestOutcome await(RequestHandle handle) {
    try {
      return handle.outcome().toCompletableFuture().get(20, TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new AssertionError("no outcome: id=" + handle.id(), e);
    }
  }

  /** {@code reason/outputs} of a finished request, the reason of a rejected one. */
  static String endOf(RequestOutcome outcome) {
    return switch (outcome) {
      case Finished finished -> finished.reason() + "/" + finished.outputTokens();
      case Rejected rejected -> rejected.reason().toString();
    };
  }

  static String endOf(RequestHandle handle) {
    return endOf(outcome(handle));
  }

  /** The engine is unharmed: one more request runs to its end. */
  static void assertHealthy(Engine engine) {
    final RequestHandle healthy = engine.submit(prompt("healthy", 9, 3));
    stepUntilIdle(engine);
    assertThat(endOf(healthy)).as("a healthy request afterwards").isEqualTo("LENGTH/3");
  }

  /** The engine with a thread of its own is unharmed. */
  static void assertHealthyThread(Engine engine) {
    final RequestHandle healthy = engine.submit(prompt("healthy", 9, 3));
    assertThat(endOf(await(healthy))).as("a healthy request afterwards").isEqualTo("LENGTH/3");
  }
}
