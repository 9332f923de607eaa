package dev.headway.simulation.run;

import static dev.headway.api.Absent.ABSENT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.config.SpeculationOptions;
import dev.headway.api.config.SpeculativeMethod;
import dev.headway.api.engine.Engine;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.probe.Probe;
import dev.headway.events.inprocess.RunDetail;
import dev.headway.events.inprocess.RunProbe;
import dev.headway.events.model.RequestTimeline;
import dev.headway.events.model.RunListener;
import dev.headway.events.scenario.EventfulRun;
import dev.headway.scheduler.engine.EngineBuilder;
import dev.headway.scheduler.sim.LinearLatencyModel;
import dev.headway.scheduler.time.VirtualClock;
import dev.headway.simulation.workload.PromptTokens;
import dev.headway.simulation.workload.Workload;
import dev.headway.simulation.workload.generated.NamedLoads;
import dev.headway.toolbox.stats.Distribution;
import java.util.List;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RunMeterTest {

  private static final long LIMIT_NS = 1_000_000_000;

  /** What the model says of each request. */
  private static final class Latencies implements RunListener {
    private final Distribution ttft = new Distribution();
    private final Distribution tpot = new Distribution();
    private final Distribution endToEnd = new Distribution();

    @Override
    public void onSettled(RequestTimeline request) {
      add(ttft::add, request.ttftNs());
      add(tpot::add, request.tpotNs());
      add(endToEnd::add, request.endToEndNs());
    }

    private static void add(LongConsumer distribution, long ns) {
      if (ns != ABSENT) {
        distribution.accept(ns);
      }
    }
  }

  @Test
  void shouldTakeTheLatenciesThatTheModelHas() {
    for (EventfulRun run : List.of(EventfulRun.plain(), EventfulRun.withDrafts())) {
      final RunMeter meter = new RunMeter();
      final Latencies model = new Latencies();

      run.run(meter.probe(), new RunProbe(model));

      final RunFigures.Latencies taken = meter.figures(new PrefixBound()).latencies();
      assertThat(taken.ttft()).isEqualTo(percentiles(model.ttft));
      assertThat(taken.tpot()).isEqualTo(percentiles(model.tpot));
      assertThat(taken.endToEnd()).isEqualTo(percentiles(model.endToEnd));
    }
  }

  /** The last token of {@code overdue} came long before its deadline ended it. */
  @Test
  void shouldTakeTheTimePerTokenUpToTheLastToken() {
    final RunMeter meter = new RunMeter();
    final Distribution seen = new Distribution();

    final EventfulRun run = EventfulRun.plain().run(meter.probe());

    run.forEachWithTokens(
        request -> {
          final List<Long> tokens = request.getValue();
          if (tokens.size() > 1) {
            seen.add((tokens.getLast() - tokens.getFirst()) / (tokens.size() - 1));
          }
        });
    assertThat(meter.figures(new PrefixBound()).latencies().tpot()).isEqualTo(percentiles(seen));
  }

  @Test
  void shouldMeasureTheSameWithTheEntriesOfSteps() {
    for (EventfulRun run : List.of(EventfulRun.plain(), EventfulRun.withDrafts())) {
      final RunMeter tokens = new RunMeter(20_000, 1_500);
      final RunMeter entries = new RunMeter(20_000, 1_500);

      run.run(tokens.probe(), new RunProbe(entries, RunDetail.ENTRIES));

      assertSame(tokens, entries);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 2})
  void shouldMeasureTheSameOfARandomLoad(int drafts) {
    for (int seed = 1; seed <= 3; seed++) {
      final RunMeter tokens = new RunMeter(LIMIT_NS, LIMIT_NS / 20);
      final RunMeter entries = new RunMeter(LIMIT_NS, LIMIT_NS / 20);

      runRandom(seed, drafts, tokens.probe(), new RunProbe(entries, RunDetail.ENTRIES));

      assertSame(tokens, entries);
      assertThat(tokens.figures(new PrefixBound()).memory().recomputedTokens()).isPositive();
      assertThat(tokens.withinLimits()).isBetween(1L, tokens.done() - 1);
    }
  }

  private static void runRandom(int seed, int drafts, Probe... probes) {
    final SchedulerConfig.Builder config =
        SchedulerConfig.builder(
            SchedulerLimits.builder()
                .maxNumSeqs(16)
                .maxNumBatchedTokens(512)
                .maxModelLen(1_024)
                .build());
    if (drafts > 0) {
      config.speculation(SpeculationOptions.of(SpeculativeMethod.NGRAM, drafts));
    }
    final EngineSettings settings =
        new EngineSettings(
                config.build(),
                KvCacheShape.builder().blockSize(16).blocks(120).build(),
                LinearLatencyModel.LLAMA_3_1_8B_ON_H100,
                seed)
            .withDraftAcceptance(0.6);
    final String load =
        "generated(rate=100,requests=200,input=uniform:50:400,output=uniform:1:100,seed="
            + seed
            + ")";
    final VirtualClock clock = new VirtualClock();
    final EngineBuilder builder = settings.engine(clock, load, model -> model);
    for (Probe probe : probes) {
      builder.probe(probe);
    }
    try (Workload workload = NamedLoads.open(load);
        Engine engine = builder.build()) {
      new WorkloadDriver(
              engine, clock, workload, new PromptTokens(EngineSettings.VOCABULARY_SIZE, seed))
          .run(() -> {});
    }
  }

  private static void assertSame(RunMeter meter, RunMeter other) {
    assertThat(meter.figures(new PrefixBound())).isEqualTo(other.figures(new PrefixBound()));
    assertThat(meter.done()).isEqualTo(other.done());
    assertThat(meter.withinLimits()).isEqualTo(other.withinLimits());
    assertThat(meter.requestSteps()).isEqualTo(other.requestSteps());
    assertThat(meter.scheduling()).isEqualTo(other.scheduling());
  }

  private static RunFigures.Percentiles percentiles(Distribution times) {
    return new RunFigures.Percentiles(
        times.count(),
        Math.round(times.mean()),
        Math.round(times.quantile(0.5)),
        Math.round(times.quantile(0.9)),
        Math.round(times.quantile(0.99)));
  }
}
