package dev.headway.concurrency;

import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.engine.Engine;
import dev.headway.api.engine.EngineStats;
import dev.headway.api.executor.Executor;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.request.Request;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import dev.headway.kvcache.BlockHasher;
import dev.headway.scheduler.engine.HeadwayEngine;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The smallest engine that can run a request: two seats, eight blocks of four tokens, an executor
 * that answers at once. Nothing drives it until a race does.
 */
final class Trial {

  private static final ExecutorShape SHAPE =
      ExecutorShape.builder()
          .kvCache(KvCacheShape.builder().blockSize(4).blocks(9).build())
          .maxNumSeqs(2)
          .vocabularySize(1_000)
          .build();

  final Engine engine;
  final AtomicInteger executorCloses = new AtomicInteger();

  Trial(int submissionQueueCapacity) {
    engine =
        HeadwayEngine.builder(new InstantExecutor(executorCloses))
            .limits(
                SchedulerLimits.builder()
                    .maxNumSeqs(2)
                    .maxNumBatchedTokens(16)
                    .maxModelLen(16)
                    .build())
            .hasher(BlockHasher.fixedKey(1, 2))
            .submissionQueueCapacity(submissionQueueCapacity)
            .build();
  }

  /** Submits a request of three prompt tokens that ends with its only output, in its first step. */
  Received submit(String id) {
    return submit(id, 1);
  }

  /** Submits a request of three prompt tokens that takes as many steps as outputs. */
  Received submit(String id, int outputs) {
    final Received told = new Received();
    told.handle(engine.submit(Request.builder(id, 1, 2, 3).maxTokens(outputs).build(), told));
    return told;
  }

  /** Drains; a race does not wait longer than a minute. */
  boolean drain() {
    try {
      return engine.drain(Duration.ofMinutes(1));
    } catch (InterruptedException e) {
      throw new AssertionError("not interrupted by any test", e);
    }
  }

  /** Ends the engine, and with it whatever is left. */
  void end() {
    engine.close();
  }

  /** Says what does not add up after {@link #end}, or "". */
  String losses() {
    final EngineStats stats = engine.stats();
    final boolean balanced =
        stats.submitted() == stats.rejected() + stats.finished()
            && stats.waiting() == 0
            && stats.running() == 0;
    return (balanced ? "" : " LOST SOME: " + stats)
        + (executorCloses.get() == 1 ? "" : " EXECUTOR CLOSED " + executorCloses);
  }

  private static final class InstantExecutor implements Executor {

    private final AtomicInteger closes;
    private @Nullable StepPlan out;

    InstantExecutor(AtomicInteger closes) {
      this.closes = closes;
    }

    @Override
    public ExecutorShape shape() {
      return SHAPE;
    }

    @Override
    public void submit(StepPlan plan) {
      out = plan;
    }

    @Override
    public boolean await(StepOutput output, long timeoutNs) {
      final StepPlan plan = Objects.requireNonNull(out, "no step is out");
      for (int entry = 0; entry < plan.size(); entry++) {
        if (plan.samples(entry)) {
          output.addToken(entry, 7);
        }
      }
      return true;
    }

    @Override
    public void close() {
      closes.incrementAndGet();
    }
  }
}
