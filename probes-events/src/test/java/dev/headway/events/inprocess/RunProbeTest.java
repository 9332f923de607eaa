package dev.headway.events.inprocess;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.config.AdmissionOptions;
import dev.headway.api.config.ChunkedPrefill;
import dev.headway.api.config.FullSequenceGate;
import dev.headway.api.config.PipelineOptions;
import dev.headway.api.config.QueuePolicy;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.config.SpeculationOptions;
import dev.headway.api.config.SpeculativeMethod;
import dev.headway.api.engine.Engine;
import dev.headway.api.engine.RequestHandle;
import dev.headway.api.engine.RequestOutcome.Finished;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.probe.AdmittedEvent;
import dev.headway.api.probe.BlockedEvent;
import dev.headway.api.probe.PreemptedEvent;
import dev.headway.api.probe.Probe;
import dev.headway.api.probe.QueuedEvent;
import dev.headway.api.request.Hold;
import dev.headway.api.request.HoldReason;
import dev.headway.api.request.Request;
import dev.headway.api.request.SessionInput;
import dev.headway.api.request.StopRule;
import dev.headway.api.schedule.ResetScope;
import dev.headway.events.model.Cause;
import dev.headway.events.model.Phase;
import dev.headway.events.model.RequestTimeline;
import dev.headway.events.model.RunListener;
import dev.headway.events.model.RunTimeline;
import dev.headway.events.model.StepTimeline;
import dev.headway.events.model.WaitInterval;
import dev.headway.events.model.WaitListener;
import dev.headway.events.record.FinishedRecord;
import dev.headway.events.record.JournalLevel;
import dev.headway.scheduler.engine.EngineBuilder;
import dev.headway.scheduler.engine.HeadwayEngine;
import dev.headway.scheduler.sim.LinearLatencyModel;
import dev.headway.scheduler.sim.SimulatedExecutor;
import dev.headway.scheduler.time.VirtualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Random runs of a real engine: the same is heard with bytes in between and without. */
class RunProbeTest {

  private static final int SEEDS = 4;
  private static final int REQUESTS = 60;

  private enum Setup {
    USUAL(settings -> settings),
    PRIORITY(settings -> settings.queuePolicy(QueuePolicy.PRIORITY)),
    ASYNC(settings -> settings.pipeline(PipelineOptions.ASYNC)),
    DRAFTS(settings -> settings.speculation(SpeculationOptions.of(SpeculativeMethod.NGRAM, 2))),
    WATERMARK(
        settings -> settings.admission(new AdmissionOptions(FullSequenceGate.NEXT_CHUNK, 0.2))),
    UNCHUNKED(settings -> settings.chunkedPrefill(ChunkedPrefill.DISABLED));

    private final UnaryOperator<SchedulerConfig.Builder> settings;

    Setup(UnaryOperator<SchedulerConfig.Builder> settings) {
      this.settings = settings;
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"USUAL", "PRIORITY", "ASYNC", "DRAFTS"})
  void shouldNotifyAsAReaderOfTheJournalIsNotified(Setup setup) {
    for (int seed = 1; seed <= SEEDS; seed++) {
      final Notifications inProcess = new Notifications();
      final Notifications throughBytes = new Notifications();

      run(
          setup,
          seed,
          new RunProbe(inProcess.listener(), RunDetail.EVERYTHING),
          new JournalBytesProbe(JournalLevel.DEBUG, throughBytes.listener()));

      assertThat(inProcess.lines).as("%s, seed=%d", setup, seed).isEqualTo(throughBytes.lines);
      assertThat(inProcess.lines).anyMatch(line -> line.startsWith("onPreempted("));
      assertThat(inProcess.lines).anyMatch(line -> line.startsWith("onWaitEnded("));
      assertThat(inProcess.lines).last().isEqualTo("close()");
    }
  }

  /** What became of each request, by all but the entries of steps. */
  private static final class Outcomes implements RunListener, WaitListener {
    private final List<String> lines = new ArrayList<>();
    private long recomputedTokens;

    @Override
    public void onWaitEnded(WaitInterval wait) {
      lines.add(
          String.join(
              " ",
              wait.request().id(),
              "waited",
              wait.fromNs() + "-" + wait.toNs(),
              wait.mainCause().toString(),
              wait.lastCause().toString(),
              String.valueOf(wait.blocker())));
    }

    @Override
    public void onFinished(RequestTimeline request, FinishedRecord end) {
      recomputedTokens += request.recomputedTokens();
      lines.add(
          request.id()
              + " ended "
              + Arrays.toString(
                  new long[] {
                    request.firstScheduledNs(),
                    request.firstTokenNs(),
                    request.endedNs(),
                    request.preemptions(),
                    request.evictions(),
                    request.evictedTokens(),
                    request.firstCachedTokens(),
                    request.resumedCachedTokens(),
                    request.recomputedTokens(),
                    request.waits().totalNs()
                  }));
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"USUAL", "PRIORITY", "ASYNC", "DRAFTS"})
  void shouldKnowTheSameOfRequestsWithoutTheEntriesOfSteps(Setup setup) {
    for (int seed = 1; seed <= SEEDS; seed++) {
      final Outcomes changes = new Outcomes();
      final Outcomes entries = new Outcomes();

      run(
          setup,
          seed,
          new RunProbe(changes, RunDetail.CHANGES),
          new RunProbe(entries, RunDetail.ENTRIES));

      assertThat(changes.lines).as("%s, seed=%d", setup, seed).isEqualTo(entries.lines);
      assertThat(changes.recomputedTokens).isPositive();
    }
  }

  /** What is known of tokens, by all but the entries of steps. */
  private static final class Tokens implements RunListener {
    private final List<String> lines = new ArrayList<>();
    private @Nullable RunTimeline run;

    @Override
    public RunListener onRun(RunTimeline started) {
      run = started;
      return this;
    }

    @Override
    public void onPhaseChanged(RequestTimeline request, Phase left, long sinceNs, long nowNs) {
      lines.add(request.id() + " " + left + " " + sinceNs + " " + request.phase() + " " + nowNs);
    }

    @Override
    public void onTokens(RequestTimeline request, int tokens, long gapNs) {
      lines.add(request.id() + " tokens " + tokens + " after " + gapNs);
    }

    @Override
    public void onTokenGap(RequestTimeline request, long gapNs) {
      lines.add(request.id() + " gap " + gapNs);
    }

    @Override
    public void onStep(StepTimeline step) {
      lines.add(
          "step "
              + Arrays.toString(
                  new long[] {
                    step.plan().stepId(),
                    step.producedTokens(),
                    step.drafts(),
                    step.draftTokens(),
                    step.acceptedTokens(),
                    requireNonNull(run).sums().owedTokens(),
                    run.sums().waitingTokens()
                  }));
    }

    @Override
    public void onSettled(RequestTimeline request) {
      lines.add(
          request.id()
              + " settled "
              + Arrays.toString(
                  new long[] {
                    request.outputTokens(),
                    request.firstTokenNs(),
                    request.lastTokenNs(),
                    request.tpotNs(),
                    request.recomputedTokens()
                  })
              + request.isTimingValid()
              + request.areOutputsKnown());
    }
  }

  @ParameterizedTest
  @EnumSource(Setup.class)
  void shouldKnowTheSameOfTokensWithoutTheEntriesOfSteps(Setup setup) {
    final List<String> all = new ArrayList<>();
    for (int seed = 1; seed <= SEEDS; seed++) {
      final Tokens tokens = new Tokens();
      final Tokens entries = new Tokens();

      run(
          setup,
          seed,
          new RunProbe(tokens, RunDetail.TOKENS),
          new RunProbe(entries, RunDetail.ENTRIES));

      assertThat(tokens.lines).as("%s, seed=%d", setup, seed).isEqualTo(entries.lines);
      all.addAll(tokens.lines);
    }
    assertThat(all).anyMatch(line -> line.contains(" gap "));
    assertThat(all).anyMatch(line -> line.contains(" RECOMPUTE "));
  }

  /** Waits by reason of each request, as the model has them when it ends. */
  private static final class EndedWaits implements RunListener, WaitListener {
    private final Map<String, Map<String, Long>> byId = new HashMap<>();
    private List<Cause> causes = List.of();

    @Override
    public RunListener onRun(RunTimeline run) {
      causes = run.bookWaits(this);
      return this;
    }

    @Override
    public void onFinished(RequestTimeline request, FinishedRecord end) {
      final Map<String, Long> waited = new TreeMap<>();
      for (Cause cause : causes) {
        waited.merge(cause.reason(), request.waits().ns(cause), Long::sum);
      }
      waited.values().removeIf(ns -> ns == 0);
      byId.put(request.id(), waited);
    }
  }

  @ParameterizedTest
  @EnumSource(Setup.class)
  void shouldGiveOutcomesTheWaitsThatReadersDerive(Setup setup) {
    final Set<String> reasons = new TreeSet<>();
    for (int seed = 1; seed <= 4 * SEEDS; seed++) {
      final EndedWaits derived = new EndedWaits();

      final List<RequestHandle> handles = run(setup, seed, true, new RunProbe(derived));

      final Map<String, Map<String, Long>> given = new HashMap<>();
      for (RequestHandle handle : handles) {
        if (handle.outcome().toCompletableFuture().getNow(null) instanceof Finished finished
            && derived.byId.containsKey(finished.id())) {
          final Map<String, Long> waited = new TreeMap<>();
          finished.waits().byReason().forEach((reason, ns) -> waited.put(reason.label(), ns));
          given.put(finished.id(), waited);
          reasons.addAll(waited.keySet());
          assertThat(finished.waits().totalNs())
              .isEqualTo(waited.values().stream().mapToLong(Long::longValue).sum());
        }
      }
      assertThat(given)
          .as("%s, seed=%d", setup, seed)
          .isEqualTo(derived.byId)
          .hasSizeGreaterThan(20);
    }
    assertThat(reasons)
        .contains("initial_waiting", "preempted", "evicted", "head_of_line", "max_num_seqs")
        .contains("grammar", "adapter_loading", "streaming_input");
  }

  private static List<RequestHandle> run(Setup setup, int seed, Probe... probes) {
    return run(setup, seed, false, probes);
  }

  /** Deciding takes no virtual time, unless {@code slow}. */
  private static List<RequestHandle> run(Setup setup, int seed, boolean slow, Probe... probes) {
    final Random random = new Random(seed);
    final VirtualClock clock = new VirtualClock();
    final SchedulerConfig config =
        setup
            .settings
            .apply(
                SchedulerConfig.builder(
                    SchedulerLimits.builder()
                        .maxNumSeqs(6)
                        .maxNumBatchedTokens(48)
                        .maxModelLen(48)
                        .build()))
            .build();
    final ExecutorShape shape =
        ExecutorShape.builder()
            .kvCache(KvCacheShape.builder().blockSize(4).blocks(22).build())
            .maxNumSeqs(6)
            .vocabularySize(1_000)
            .maxStepsInFlight(config.pipeline().maxStepsInFlight())
            .build();
    final EngineBuilder builder =
        HeadwayEngine.builder(
                new SimulatedExecutor(
                    shape, new LinearLatencyModel(1_000, 10, 5, 1), clock, seed, 0.5))
            .config(config)
            .clock(clock);
    if (slow) {
      builder.probe(slow(clock));
    }
    for (Probe probe : probes) {
      builder.probe(probe);
    }
    final List<RequestHandle> handles = new ArrayList<>();
    final List<CompletableFuture<Object>> stages = new ArrayList<>();
    try (Engine engine = builder.build()) {
      for (int i = 0; i < REQUESTS; i++) {
        handles.add(engine.submit(request(i, random, stages)));
        if (random.nextBoolean() && !stages.isEmpty()) {
          final CompletableFuture<Object> stage = stages.remove(random.nextInt(stages.size()));
          if (random.nextInt(8) == 0) {
            stage.completeExceptionally(new IllegalStateException("not to be had"));
          } else {
            stage.complete("there");
          }
        }
        converse(handles.get(random.nextInt(handles.size())), random);
        clock.advance(random.nextInt(2_000));
        if (random.nextInt(3) > 0) {
          engine.step();
        }
        if (random.nextInt(10) == 0) {
          handles.get(random.nextInt(handles.size())).cancel();
        }
        if (random.nextInt(30) == 0) {
          engine.resetPrefixCache(ResetScope.PREEMPT_RUNNING);
        }
      }
      for (int i = 0; i < random.nextInt(200); i++) { // some are alive when the engine is closed
        engine.step();
      }
    }
    return handles;
  }

  /** Lets time pass inside scheduling. */
  private static Probe slow(VirtualClock clock) {
    return new Probe() {
      @Override
      public void onQueued(QueuedEvent event) {
        clock.advance(7);
      }

      @Override
      public void onAdmitted(AdmittedEvent event) {
        clock.advance(5);
      }

      @Override
      public void onBlocked(BlockedEvent event) {
        clock.advance(3);
      }

      @Override
      public void onPreempted(PreemptedEvent event) {
        clock.advance(2);
      }
    };
  }

  /** Some are held, by stages that are added. */
  private static Request request(
      int number, Random random, List<CompletableFuture<Object>> stages) {
    final int[] prompt = random.ints(1 + random.nextInt(30), 0, 3).toArray();
    final Request.Builder request =
        Request.builder("r" + number, prompt)
            .maxTokens(1 + random.nextInt(16))
            .priority(random.nextInt(3))
            .timeout(Duration.ofNanos(5_000 + random.nextInt(400_000)));
    for (HoldReason reason : List.of(HoldReason.GRAMMAR, HoldReason.ADAPTER_LOADING)) {
      if (random.nextInt(6) == 0) {
        final CompletableFuture<Object> stage = new CompletableFuture<>();
        stages.add(stage);
        final Hold hold = Hold.until(reason, stage);
        request.hold(
            random.nextBoolean()
                ? hold
                : hold.withTimeout(Duration.ofNanos(1_000 + random.nextInt(20_000))));
      }
    }
    return (isSession(number) ? request.resumable() : request).build();
  }

  private static boolean isSession(int number) {
    return number % 3 == 0;
  }

  /** Gives a session input, or says that there is no more. */
  private static void converse(RequestHandle handle, Random random) {
    if (isSession(Integer.parseInt(handle.id().substring(1)))) {
      if (random.nextInt(4) == 0) {
        handle.endInput();
      } else {
        final int[] input = random.ints(1 + random.nextInt(6), 0, 3).toArray();
        handle.append(SessionInput.of(StopRule.maxTokens(1 + random.nextInt(6)), input));
      }
    }
  }
}
