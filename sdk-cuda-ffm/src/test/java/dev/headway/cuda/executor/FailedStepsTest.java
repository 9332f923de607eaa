package dev.headway.cuda.executor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.config.PipelineOptions;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.executor.Executor;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.request.Request;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import dev.headway.cuda.emulation.Emulator;
import dev.headway.cuda.emulation.EmulatorOnly;
import dev.headway.cuda.emulation.OnCudaDriver;
import dev.headway.cuda.emulation.TestSeed;
import dev.headway.executor.model.Model;
import dev.headway.executor.model.ModelFamily;
import dev.headway.executor.model.TestModels;
import dev.headway.executor.reference.RandomLoad;
import dev.headway.scheduler.time.SystemNanoClock;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Steps fail at random calls of the driver, with another one in flight or without: the requests
 * that do not end with them get what they get alone.
 */
@OnCudaDriver
@EmulatorOnly("calls must fail at will")
class FailedStepsTest {
  private static final int LOADS = 12;
  private static final int REQUESTS = 16;
  private static final int MAX_MODEL_LEN = 48;
  private static final int OUT_OF_MEMORY = 2;
  private static final String[] CALLS = {
    "cuMemcpyHtoDAsync_v2",
    "cuLaunchKernel",
    "cuGraphLaunch",
    "cuMemcpyDtoHAsync_v2",
    "cuEventRecord"
  };

  @Test
  void shouldAnswerOthersWhatTheyGetAlone() {
    final long firstSeed = TestSeed.VALUE;
    int failed = 0;
    int onLostTables = 0;
    int tokens = 0;
    int ties = 0;
    for (long seed = firstSeed; seed < firstSeed + LOADS; seed++) {
      final Random random = new Random(seed);
      Emulator.schedule(Emulator.ThreadOrder.FORWARD, Emulator.Streams.LAZY);
      final Model model =
          Model.random(TestModels.tiny(RandomLoad.pick(random, ModelFamily.values())), seed);
      final int stepsInFlight = 1 + (int) (seed & 1);
      final List<Request> requests =
          RandomLoad.requests(random, REQUESTS, 16, MAX_MODEL_LEN, model.config().vocabularySize());

      final Failing executor = new Failing(executor(model, stepsInFlight), random);

      final Generation actual = Generation.withFailures(executor, config(stepsInFlight), requests);

      onLostTables += executor.onLostTables;
      for (Throwable cause : actual.causes()) {
        failed += cause == null ? 0 : 1;
      }
      final ReferenceCheck check = new ReferenceCheck(model);
      check.follow("seed=" + seed + ", stepsInFlight=" + stepsInFlight, requests, actual);
      tokens += check.tokens;
      ties += check.ties;
    }

    final String done =
        "failed=%d, onLostTables=%d, tokens=%d, ties=%d, firstSeed=%d"
            .formatted(failed, onLostTables, tokens, ties, firstSeed);
    assertThat(failed).as(done).isBetween(LOADS, LOADS * REQUESTS / 2);
    assertThat(onLostTables).as(done).isPositive();
    assertThat(tokens).as(done).isGreaterThan(LOADS * REQUESTS);
    assertThat(ties).as(done).isLessThan(tokens / 20);
  }

  private static CudaExecutor executor(Model model, int stepsInFlight) {
    return CudaExecutor.builder(model, new SystemNanoClock())
        .blockSize(4)
        .kvBlocks(40)
        .maxNumSeqs(4)
        .maxNumBatchedTokens(26)
        .maxModelLen(MAX_MODEL_LEN)
        .stepsInFlight(stepsInFlight)
        .build();
  }

  private static SchedulerConfig config(int stepsInFlight) {
    return SchedulerConfig.builder(
            SchedulerLimits.builder()
                .maxNumSeqs(4)
                .maxNumBatchedTokens(20)
                .maxModelLen(MAX_MODEL_LEN)
                .build())
        .pipeline(stepsInFlight == 2 ? PipelineOptions.ASYNC : PipelineOptions.DEFAULT)
        .build();
  }

  /** Makes the driver fail somewhere in some of the steps. */
  private static final class Failing implements Executor {
    private final CudaExecutor executor;
    private final Random random;
    int onLostTables;

    Failing(CudaExecutor executor, Random random) {
      this.executor = executor;
      this.random = random;
    }

    @Override
    public ExecutorShape shape() {
      return executor.shape();
    }

    @Override
    public void submit(StepPlan plan) {
      if (random.nextInt(30) == 0) {
        Emulator.failNext(RandomLoad.pick(random, CALLS), OUT_OF_MEMORY);
      }
      executor.submit(plan);
    }

    @Override
    public boolean await(StepOutput output, long timeoutNs) throws InterruptedException {
      try {
        return executor.await(output, timeoutNs);
      } catch (IllegalStateException e) {
        onLostTables += e.getMessage().contains(": its block tables build on") ? 1 : 0;
        throw e;
      }
    }

    @Override
    public void close() {
      Emulator.failNext("", 0);
      executor.close();
    }
  }
}
