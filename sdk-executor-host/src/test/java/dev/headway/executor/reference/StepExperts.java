package dev.headway.executor.reference;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.engine.Engine;
import dev.headway.api.executor.Executor;
import dev.headway.api.request.Request;
import dev.headway.api.request.SamplingParams;
import dev.headway.scheduler.engine.HeadwayEngine;
import dev.headway.scheduler.time.VirtualClock;
import java.util.List;
import java.util.Random;

/** What the steps of a few greedy requests say of the experts that computed. */
public final class StepExperts {

  private StepExperts() {}

  /**
   * Runs three requests of 5, 9 and 2 tokens, chunks of at most 6 tokens a step, until each has
   * four tokens more.
   *
   * @param executor closed at the end
   * @return for each step, {@code StepOutput.activatedExperts}
   */
  public static List<Long> ofRequests(Executor executor, int vocabularySize, long seed) {
    final Random random = new Random(seed);
    final WatchingExecutor watching = new WatchingExecutor(executor);
    final SchedulerLimits limits =
        SchedulerLimits.builder().maxNumSeqs(4).maxNumBatchedTokens(6).maxModelLen(64).build();
    try (Engine engine =
        HeadwayEngine.builder(watching)
            .clock(new VirtualClock())
            .config(SchedulerConfig.builder(limits).build())
            .build()) {
      for (int length : new int[] {5, 9, 2}) {
        engine.submit(
            Request.builder("r" + length, random.ints(length, 1, vocabularySize).toArray())
                .sampling(SamplingParams.GREEDY)
                .maxTokens(4)
                .build());
      }
      while (engine.step()) {}
    }
    return List.copyOf(watching.activatedExperts);
  }
}
