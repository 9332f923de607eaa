package dev.headway.scheduler.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.config.AsyncScheduling;
import dev.headway.api.config.Displacement;
import dev.headway.api.config.KvOffloadOptions;
import dev.headway.api.config.ModelRunner;
import dev.headway.api.config.PipelineOptions;
import dev.headway.api.config.QueuePolicy;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.engine.Engine;
import dev.headway.api.engine.RequestHandle;
import dev.headway.api.engine.RequestOutcome.Finished;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.kvcache.KvTransfer;
import dev.headway.api.probe.Probe;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.Request;
import dev.headway.api.schedule.ResetScope;
import dev.headway.kvcache.offload.KvTransferRules;
import dev.headway.scheduler.time.VirtualClock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Random loads on a small device with a host tier behind it, against an executor that knows what
 * every slot must hold: nobody ever builds on what is not there, however steps overlap, fail or
 * come too late, and whoever ends as asked has the right tokens.
 */
class HostTierTest {

  private static final int MAX_MODEL_LEN = 64;
  private static final int LOADS = 60;

  /** What was done over all loads. */
  private int saves;

  private int loads;
  private int failures;
  private int preemptions;
  private int finished;
  private int emptyStepsWithTransfers;

  @ParameterizedTest
  @CsvSource({"200, 0", "200, 60", "6, 0", "6, 60", "1, 20", "0, 0", "0, 60", "0, 20"})
  void shouldNeverBuildOnWhatIsNotThere(int hostBlocks, int oneStepInFails) {
    final long firstSeed = System.nanoTime();
    run(firstSeed, LOADS, hostBlocks, oneStepInFails);

    final String done = counts(firstSeed);
    assertThat(finished).as(done).isGreaterThan(LOADS);
    assertThat(preemptions).as(done).isGreaterThan(LOADS);
    assertThat(saves).as(done).isGreaterThanOrEqualTo(hostBlocks > 0 ? LOADS : 0);
    assertThat(loads).as(done).isGreaterThanOrEqualTo(hostBlocks > 1 ? LOADS : 0);
    assertThat(failures).as(done).isGreaterThanOrEqualTo(oneStepInFails > 0 ? LOADS : 0);
    if (hostBlocks == 0) {
      assertThat(saves + loads).as(done).isZero();
    }
  }

  @Test
  void shouldRefuseAHostTierTheExecutorDoesNotHave() {
    final EngineBuilder builder =
        Engines.builder(Engines.executor())
            .config(
                SchedulerConfig.builder(Engines.LIMITS).kvOffload(new KvOffloadOptions(3)).build());

    assertThatThrownBy(builder::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "hostBlocks must be <= the executor's, which has to save and load them: hostBlocks=3,"
                + " executor.hostBlocks=0");
  }

  private String counts(long firstSeed) {
    return "saves=%d, loads=%d, failures=%d, preemptions=%d, finished=%d, empty=%d, firstSeed=%d"
        .formatted(
            saves, loads, failures, preemptions, finished, emptyStepsWithTransfers, firstSeed);
  }

  private void run(long firstSeed, int count, int hostBlocks, int oneStepInFails) {
    for (long seed = firstSeed; seed < firstSeed + count; seed++) {
      run(seed, hostBlocks, oneStepInFails);
    }
  }

  private void run(long seed, int hostBlocks, int oneStepInFails) {
    final Random random = new Random(seed);
    final int blockSize = 1 << random.nextInt(3);
    final int longest = (MAX_MODEL_LEN + blockSize - 1) / blockSize;
    final PipelineOptions pipeline =
        new PipelineOptions(
            pick(random, AsyncScheduling.values()),
            1 + random.nextInt(3),
            pick(random, ModelRunner.values()));
    final KvCacheShape kv = new KvCacheShape(blockSize, 1 + longest + random.nextInt(longest), 0);
    final RememberingExecutor executor =
        new RememberingExecutor(
            new ExecutorShape(kv, 6, 50, pipeline.maxStepsInFlight(), hostBlocks),
            random,
            oneStepInFails);
    final TransferProbe transfers = new TransferProbe();
    final SchedulerConfig config = config(random, pipeline, hostBlocks);
    final List<Request> requests = requests(random);
    final List<RequestHandle> handles = new ArrayList<>();
    try (Engine engine =
        HeadwayEngine.builder(executor)
            .clock(new VirtualClock())
            .config(config)
            .probe(transfers)
            .build()) {
      for (Request request : requests) {
        handles.add(engine.submit(request));
        for (int steps = random.nextInt(8); steps > 0; steps--) {
          engine.step();
        }
        disturb(random, engine, handles);
      }
      for (int idle = 0; idle < 20; ) { // an executor that is late makes no progress either
        idle = engine.step() ? 0 : idle + 1;
      }
    }

    final String what = "seed=" + seed + ", config=" + config;
    assertThat(executor.violations).as(what).isEmpty();
    if (executor.failures == 0) { // else those that end with a failed step may still be out
      assertThat(executor.unsoundEntries).as(what).isZero();
    }
    assertThat(transfers.rules.violations()).as(what).isEmpty();
    assertThat(transfers.rules.inFlight()).as(what).isZero();
    for (int i = 0; i < requests.size(); i++) {
      check(what, requests.get(i), handles.get(i));
    }
    saves += executor.saves;
    loads += executor.loads;
    failures += executor.failures;
    emptyStepsWithTransfers += executor.emptyStepsWithTransfers;
  }

  private void check(String what, Request request, RequestHandle handle) {
    if (handle.outcome().toCompletableFuture().join() instanceof Finished end) {
      preemptions += end.preemptions();
      final int[] outputs = end.outputTokenIds();
      final int[] truth = RememberingExecutor.tokensOf(request, outputs.length);
      assertThat(outputs)
          .as("%s, request=%s", what, request.id())
          .isEqualTo(Arrays.copyOfRange(truth, request.promptTokens(), truth.length));
      finished += end.reason() == FinishReason.LENGTH ? 1 : 0;
    }
  }

  private static void disturb(Random random, Engine engine, List<RequestHandle> handles) {
    switch (random.nextInt(12)) {
      case 0 -> handles.get(random.nextInt(handles.size())).cancel();
      case 1 -> engine.resetPrefixCache(pick(random, ResetScope.values()));
      default -> {}
    }
  }

  private static SchedulerConfig config(Random random, PipelineOptions pipeline, int hostBlocks) {
    final boolean byPriority = random.nextBoolean();
    return SchedulerConfig.builder(new SchedulerLimits(6, 6 + random.nextInt(40), MAX_MODEL_LEN))
        .kvOffload(new KvOffloadOptions(hostBlocks))
        .pipeline(pipeline)
        .queuePolicy(byPriority ? QueuePolicy.PRIORITY : QueuePolicy.FCFS)
        .displacement(byPriority && random.nextBoolean() ? Displacement.ON : Displacement.OFF)
        .longPrefillTokenThreshold(random.nextBoolean() ? 0 : 1 + random.nextInt(8))
        .build();
  }

  /** Prompts that share beginnings, in two scopes. */
  private static List<Request> requests(Random random) {
    final int[] shared = random.ints(MAX_MODEL_LEN, 0, 50).toArray();
    final List<Request> requests = new ArrayList<>();
    for (int i = 0; i < 25; i++) {
      final int outputs = 1 + random.nextInt(24);
      final int[] prompt = Arrays.copyOf(shared, 1 + random.nextInt(MAX_MODEL_LEN - outputs));
      for (int own = random.nextInt(prompt.length + 1); own < prompt.length; own++) {
        prompt[own] = random.nextInt(50);
      }
      final Request.Builder request =
          Request.builder("r" + i, prompt).maxTokens(outputs).priority(random.nextInt(3));
      requests.add((random.nextInt(4) == 0 ? request.cacheSalt("salt") : request).build());
    }
    return requests;
  }

  private static <T> T pick(Random random, T[] values) {
    return values[random.nextInt(values.length)];
  }

  /** Hands transfers to the checker of their rules. */
  private static final class TransferProbe implements Probe {
    private final KvTransferRules rules = new KvTransferRules();

    @Override
    public void onKvTransfer(KvTransfer transfer, long nowNs) {
      rules.onKvTransfer(transfer, nowNs);
    }
  }
}
