package dev.headway.scheduler.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.config.AsyncScheduling;
import dev.headway.api.config.Displacement;
import dev.headway.api.config.KvOffloadOptions;
import dev.headway.api.config.ModelRunner;
import dev.headway.api.config.PipelineOptions;
import dev.headway.api.config.PrefixCacheOptions;
import dev.headway.api.config.PrefixRetention;
import dev.headway.api.config.QueuePolicy;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.engine.Engine;
import dev.headway.api.engine.RequestHandle;
import dev.headway.api.engine.RequestOutcome.Finished;
import dev.headway.api.engine.TokenListener;
import dev.headway.api.engine.TurnOutcome;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.kvcache.KvTransfer;
import dev.headway.api.probe.AdmittedEvent;
import dev.headway.api.probe.Probe;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.Request;
import dev.headway.api.request.SessionInput;
import dev.headway.api.request.StopRule;
import dev.headway.api.schedule.ResetScope;
import dev.headway.scheduler.time.VirtualClock;
import dev.headway.testkit.kvcache.KvTransferRules;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Function;

/**
 * Random loads on a small device against a {@link RememberingExecutor}: requests that share
 * beginnings, steps that overlap, fail or come too late, preemptions, cancellations, resets.
 * Whoever ends as asked must have the right tokens. Counts what was done.
 */
final class RememberedLoads {

  static final int MAX_MODEL_LEN = 64;

  private final Function<Random, KvCacheShape> shapes;
  private final int hostBlocks;
  private final int oneStepInFails;
  private boolean sessions;

  int turns;
  int loadsRun;
  int saves;
  int loads;
  int failures;
  int preemptions;
  int finished;
  long foundTokens;
  int emptyStepsWithTransfers;

  /**
   * Makes loads.
   *
   * @param shapes draws a cache
   * @param oneStepInFails one step in so many fails in each of four ways; 0 for none
   */
  RememberedLoads(Function<Random, KvCacheShape> shapes, int hostBlocks, int oneStepInFails) {
    this.shapes = shapes;
    this.hostBlocks = hostBlocks;
    this.oneStepInFails = oneStepInFails;
  }

  /** Half of the requests are sessions, which get up to three inputs each. */
  RememberedLoads withSessions() {
    sessions = true;
    return this;
  }

  /** Runs a load for each seed. */
  void run(long firstSeed, int count) {
    for (long seed = firstSeed; seed < firstSeed + count; seed++) {
      run(seed);
      loadsRun++;
    }
  }

  private void run(long seed) {
    final Random random = new Random(seed);
    final KvCacheShape kv = shapes.apply(random);
    final PipelineOptions pipeline =
        new PipelineOptions(
            pick(random, AsyncScheduling.values()),
            1 + random.nextInt(3),
            pick(random, ModelRunner.values()));
    final RememberingExecutor executor =
        new RememberingExecutor(
            ExecutorShape.builder()
                .kvCache(kv)
                .maxNumSeqs(6)
                .vocabularySize(50)
                .maxStepsInFlight(pipeline.maxStepsInFlight())
                .hostBlocks(hostBlocks)
                .build(),
            random,
            oneStepInFails);
    final LoadProbe probe = new LoadProbe();
    final SchedulerConfig config = config(random, pipeline);
    final List<Request> requests = requests(random, sessions);
    final List<RequestHandle> handles = new ArrayList<>();
    try (Engine engine =
        HeadwayEngine.builder(executor)
            .clock(new VirtualClock())
            .config(config)
            .probe(probe)
            .build()) {
      for (Request request : requests) {
        handles.add(engine.submit(request, request.isResumable() ? counter : TokenListener.NONE));
        for (int steps = random.nextInt(8); steps > 0; steps--) {
          engine.step();
        }
        disturb(random, engine, handles);
        converse(random, requests, handles);
      }
      endSessions(requests, handles);
      for (int idle = 0; idle < 20; ) { // an executor that is late makes no progress either
        idle = engine.step() ? 0 : idle + 1;
      }
    }

    final String what = "seed=" + seed + ", config=" + config;
    assertThat(executor.violations).as(what).isEmpty();
    if (executor.failures == 0) { // else those that end with a failed step may still be out
      assertThat(executor.unsoundEntries).as(what).isZero();
    }
    assertThat(probe.rules.violations()).as(what).isEmpty();
    assertThat(probe.rules.inFlight()).as(what).isZero();
    for (int i = 0; i < requests.size(); i++) {
      check(what, requests.get(i), handles.get(i));
    }
    saves += executor.saves;
    loads += executor.loads;
    failures += executor.failures;
    emptyStepsWithTransfers += executor.emptyStepsWithTransfers;
  }

  private final TokenListener counter =
      new TokenListener() {
        @Override
        public void onTurnEnd(TurnOutcome turn) {
          turns++;
        }
      };

  @Override
  public String toString() {
    return "saves=%d, loads=%d, failures=%d, preemptions=%d, finished=%d, found=%d, empty=%d"
        .formatted(
            saves, loads, failures, preemptions, finished, foundTokens, emptyStepsWithTransfers);
  }

  private void check(String what, Request request, RequestHandle handle) {
    assertThat(handle.isDone()).as("%s, request=%s", what, request.id()).isTrue();
    if (handle.outcome().toCompletableFuture().join() instanceof Finished end
        && !request.isResumable()) {
      preemptions += end.preemptions();
      final int[] outputs = end.outputTokenIds();
      final int[] truth = RememberingExecutor.tokensOf(request, outputs.length);
      assertThat(outputs)
          .as("%s, request=%s", what, request.id())
          .isEqualTo(Arrays.copyOfRange(truth, request.promptTokens(), truth.length));
      finished += end.reason() == FinishReason.LENGTH ? 1 : 0;
    }
  }

  private static void converse(Random random, List<Request> requests, List<RequestHandle> handles) {
    final int chosen = random.nextInt(handles.size());
    if (requests.get(chosen).isResumable()) {
      for (int inputs = random.nextInt(4); inputs > 0; inputs--) {
        final int[] tokens = random.ints(1 + random.nextInt(12), 0, 50).toArray();
        handles
            .get(chosen)
            .append(SessionInput.of(StopRule.maxTokens(1 + random.nextInt(8)), tokens));
      }
    }
  }

  private static void endSessions(List<Request> requests, List<RequestHandle> handles) {
    for (int i = 0; i < handles.size(); i++) {
      if (requests.get(i).isResumable()) {
        handles.get(i).endInput();
      }
    }
  }

  private static void disturb(Random random, Engine engine, List<RequestHandle> handles) {
    switch (random.nextInt(12)) {
      case 0 -> handles.get(random.nextInt(handles.size())).cancel();
      case 1 -> engine.resetPrefixCache(pick(random, ResetScope.values()));
      default -> {}
    }
  }

  private SchedulerConfig config(Random random, PipelineOptions pipeline) {
    final boolean byPriority = random.nextBoolean();
    final PrefixRetention retention =
        random.nextBoolean() ? PrefixRetention.DENSE : PrefixRetention.BOUNDARIES;
    final SchedulerLimits limits =
        SchedulerLimits.builder()
            .maxNumSeqs(6)
            .maxNumBatchedTokens(6 + random.nextInt(40))
            .maxModelLen(MAX_MODEL_LEN)
            .build();
    final PrefixCacheOptions.Builder prefixCache = PrefixCacheOptions.builder();
    if (random.nextInt(2) == 1) {
      prefixCache.matchUnit(1); // divides every block
    }
    return SchedulerConfig.builder(limits)
        .kvOffload(new KvOffloadOptions(hostBlocks))
        .prefixCache(prefixCache.retention(retention).build())
        .pipeline(pipeline)
        .queuePolicy(byPriority ? QueuePolicy.PRIORITY : QueuePolicy.FCFS)
        .displacement(byPriority && random.nextBoolean() ? Displacement.ON : Displacement.OFF)
        .longPrefillTokenThreshold(random.nextBoolean() ? 0 : 1 + random.nextInt(8))
        .build();
  }

  /** Prompts that share beginnings, in two scopes. */
  private static List<Request> requests(Random random, boolean withSessions) {
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
      if (withSessions && random.nextBoolean()) {
        request.resumable();
      }
      requests.add((random.nextInt(4) == 0 ? request.cacheSalt("salt") : request).build());
    }
    return requests;
  }

  static <T> T pick(Random random, T[] values) {
    return values[random.nextInt(values.length)];
  }

  /** Hands probe to the checker of their rules; counts what was found. */
  private final class LoadProbe implements Probe {
    private final KvTransferRules rules = new KvTransferRules();

    @Override
    public void onKvTransfer(KvTransfer transfer) {
      rules.onKvTransfer(transfer);
    }

    @Override
    public void onAdmitted(AdmittedEvent event) {
      foundTokens += event.cachedTokens();
    }
  }
}
