package dev.headway.simulation.fleet;

import static dev.headway.api.Absent.ABSENT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.step.LatencyModel;
import dev.headway.api.step.StepFeatures;
import dev.headway.events.model.RequestTimeline;
import dev.headway.events.record.FinishedRecord;
import dev.headway.events.record.RejectedRecord;
import dev.headway.routing.core.RoutingListener;
import dev.headway.routing.policy.RoutingDecision;
import dev.headway.routing.policy.RoutingOutcome;
import dev.headway.scheduler.sim.LinearLatencyModel;
import dev.headway.simulation.compare.Bootstrap;
import dev.headway.simulation.compare.Bootstrap.Interval;
import dev.headway.simulation.compare.ComparisonRun;
import dev.headway.simulation.compare.FleetFigures;
import dev.headway.simulation.compare.FleetMetric;
import dev.headway.simulation.compare.Load;
import dev.headway.simulation.compare.Measures;
import dev.headway.simulation.compare.Metric;
import dev.headway.simulation.compare.PolicyResult;
import dev.headway.simulation.run.EngineSettings;
import dev.headway.simulation.run.PrefixBound;
import dev.headway.simulation.run.RunFigures;
import dev.headway.simulation.run.RunMeter;
import dev.headway.simulation.step.GroupLatency;
import dev.headway.simulation.workload.TraceFormat;
import dev.headway.simulation.workload.Workload;
import dev.headway.simulation.workload.generated.NamedLoads;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FleetRunTest {

  private static final String SHARED =
      "generated(rate=20,requests=600,seed=3,prefix-groups=24,prefix-tokens=1500,"
          + "input=uniform:50:400,output=uniform:10:100)";

  private static final String LONG_OUTPUTS =
      "generated(rate=20,requests=200,seed=3,prefix-groups=4,prefix-tokens=100,"
          + "input=uniform:50:400,output=uniform:100:600)";

  @ParameterizedTest
  @ValueSource(
      strings = {
        "random",
        "round-robin",
        "power-of-two",
        "least-load",
        "cache-aware",
        "kv-cost",
        "precise-prefix",
        "predicted-latency",
        "prefix-hash",
        "bucket"
      })
  void shouldServeEveryRequestTheSameInEachRun(String router) {
    final FleetResult first = run(settings(4, router, 50), SHARED);
    final FleetResult second = run(settings(4, router, 50), SHARED);

    assertThat(rows(second)).isEqualTo(rows(first));
    assertThat(first.requests()).hasSize(600);
    assertThat(first.requests())
        .allSatisfy(
            request -> {
              assertThat(request.outcome()).isEqualTo("length");
              assertThat(request.ttftNs()).isPositive();
              assertThat(request.endToEndNs()).isGreaterThanOrEqualTo(request.ttftNs());
              assertThat(request.regretNs()).isNotNegative();
            });
    assertThat(Arrays.stream(first.requestsByInstance()).sum()).isEqualTo(600);
  }

  @Test
  void shouldBeOneServerWhenThereIsOneInstance() {
    final FleetResult fleet = run(settings(1, "cache-aware", 50), SHARED);

    final RunFigures alone = alone(SHARED);

    assertThat(fleet.endNs()).isEqualTo(alone.work().durationNs());
    assertThat(fleet.hitShare()).isEqualTo(alone.prefixCache().share());
    final double meanTtft =
        fleet.requests().stream().mapToLong(FleetRequest::ttftNs).average().orElseThrow();
    assertThat(Math.round(meanTtft)).isEqualTo(alone.latencies().ttft().meanNs());
  }

  /** Few blocks, so that requests are preempted and find what they had computed. */
  @Test
  void shouldSayOfEachRequestWhatTheModelSays() {
    final List<String> model = new ArrayList<>();
    final RunMeter meter =
        new RunMeter(
            new RunMeter.RequestEnds() {
              @Override
              public void finished(RequestTimeline request, FinishedRecord end) {
                model.add(
                    request.id()
                        + " "
                        + request.ttftNs()
                        + " "
                        + request.endToEndNs()
                        + " "
                        + request.firstCachedTokens()
                        + " "
                        + end.reason());
              }

              @Override
              public void rejected(RejectedRecord rejection) {
                model.add(rejection.requestId());
              }
            });
    final EngineSettings tight = engine(300);

    final RunFigures figures = alone(tight, meter, LONG_OUTPUTS);
    final FleetResult fleet = run(new FleetSettings(tight, 1, "random", 0), LONG_OUTPUTS);

    assertThat(figures.memory().preemptions()).isPositive();
    assertThat(fleet.requests())
        .extracting(each -> each.id() + " " + figures(each) + " " + each.outcome())
        .containsExactlyInAnyOrderElementsOf(model);
  }

  /** The same run has the same percentiles in simulate, in compare and behind a router. */
  @Test
  void shouldTakePercentilesAsEveryCommand() throws IOException {
    final RunFigures.Latencies simulated = alone(SHARED).latencies();

    final PolicyResult compared =
        new ComparisonRun(engine(), 1_000_000_000, Duration.ofSeconds(1))
            .run(
                "fcfs",
                new Load(SHARED, TraceFormat.AUTO, 1, -1, 0),
                new Measures(500, new Measures.Slo(1, 1), new Bootstrap(0, 1)),
                done -> {});
    final Map<FleetMetric, Interval> behindRouter =
        FleetFigures.of(run(settings(1, "random", 50), SHARED), new Bootstrap(0, 1));

    assertThat(simulated.ttft().count()).isEqualTo(600); // p99 is between two ranks
    assertThat(Math.round(compared.value(Metric.TTFT_P50))).isEqualTo(simulated.ttft().p50Ns());
    assertThat(Math.round(compared.value(Metric.TTFT_P99))).isEqualTo(simulated.ttft().p99Ns());
    assertThat(Math.round(compared.value(Metric.E2E_P50))).isEqualTo(simulated.endToEnd().p50Ns());
    assertThat(Math.round(compared.value(Metric.E2E_P99))).isEqualTo(simulated.endToEnd().p99Ns());
    assertThat(behindRouter.get(FleetMetric.TTFT_P50).value())
        .isEqualTo(compared.value(Metric.TTFT_P50));
    assertThat(behindRouter.get(FleetMetric.TTFT_P99).value())
        .isEqualTo(compared.value(Metric.TTFT_P99));
    assertThat(behindRouter.get(FleetMetric.E2E_P50).value())
        .isEqualTo(compared.value(Metric.E2E_P50));
    assertThat(behindRouter.get(FleetMetric.E2E_P99).value())
        .isEqualTo(compared.value(Metric.E2E_P99));
  }

  @Test
  void shouldFindMoreInCachesThanChance() {
    final double random = run(settings(4, "random", 50), SHARED).hitShare();
    final double aware = run(settings(4, "cache-aware", 50), SHARED).hitShare();
    final double precise = run(settings(4, "precise-prefix", 50), SHARED).hitShare();

    assertThat(aware).isGreaterThan(random + 0.05);
    assertThat(precise).isGreaterThan(random);
  }

  @Test
  void shouldKnowTheTruthWithoutDelay() {
    // the estimate that regret is measured with is also what this policy minimises
    final FleetResult oracle = run(settings(4, "predicted-latency", 0), SHARED);
    final FleetResult random = run(settings(4, "random", 0), SHARED);

    assertThat(meanRegretNs(oracle)).isLessThan(meanRegretNs(random) / 5);
  }

  @Test
  void shouldPredictWhatIsCachedWhenThereIsNoDelay() {
    final FleetResult oracle = run(settings(3, "precise-prefix", 0), SHARED);

    final long wrong =
        oracle.requests().stream()
            .filter(request -> request.predictedCachedTokens() > request.cachedTokens())
            .count();

    // a block may be evicted, or filled, between arrival and admission
    assertThat(wrong).isLessThan(30);
  }

  @Test
  void shouldReleaseEveryLoad() {
    final Ends ends = new Ends();

    new FleetRun(settings(2, "least-load", 50), List.of(ends))
        .run(NamedLoads.open(SHARED), arrived -> {});

    assertThat(ends.decided).isEqualTo(600);
    assertThat(ends.ended).isEqualTo(600);
    assertThat(ends.cached).isPositive();
  }

  @Test
  void shouldEndRequestsThatAnInstanceRefuses() {
    final FleetResult result =
        run(settings(2, "round-robin", 0), "random(rate=5,requests=10,input-len=40000)");

    assertThat(result.requests())
        .allSatisfy(
            request -> {
              assertThat(request.ttftNs()).isEqualTo(ABSENT);
              assertThat(request.endToEndNs()).isEqualTo(ABSENT);
              assertThat(request.outcome()).isEqualTo("context_length_limit");
            });
  }

  @Test
  void shouldRefuseSettingsThatMakeNoSense() {
    assertThatThrownBy(() -> settings(0, "random", 0))
        .hasMessage("instances must be in [1, 1024]: instances=0");
    assertThatThrownBy(() -> settings(1, "random", -1))
        .hasMessage("signalDelayNs must be >= 0: signalDelayNs=-1000000");
  }

  private static double meanRegretNs(FleetResult result) {
    return result.requests().stream().mapToLong(FleetRequest::regretNs).average().orElseThrow();
  }

  private static List<String> rows(FleetResult result) {
    final List<String> rows = new ArrayList<>();
    for (FleetRequest each : result.requests()) {
      rows.add(
          each.id()
              + " "
              + each.instance()
              + " "
              + each.branch()
              + " "
              + figures(each)
              + " "
              + each.regretNs());
    }
    return rows;
  }

  private static String figures(FleetRequest each) {
    return each.ttftNs() + " " + each.endToEndNs() + " " + each.cachedTokens();
  }

  /** A step of ranks takes 1 ms for each token of all of them, and one for each that has none. */
  private static final class SharedTime implements LatencyModel, GroupLatency {

    @Override
    public long stepNs(StepFeatures step) {
      return 1_000_000 * step.totalTokens();
    }

    @Override
    public long groupStepNs(List<StepFeatures> ranks) {
      return 1_000_000 * ranks.stream().mapToLong(rank -> Math.max(1, rank.totalTokens())).sum();
    }
  }

  private static FleetSettings ranks(int count, String router) {
    return new FleetSettings(engine().withLatency(new SharedTime()), count, router, 0, true);
  }

  @Test
  void shouldRunStepsOfRanksTogether() {
    final FleetResult both =
        run(ranks(2, "round-robin"), "generated(rate=1000,requests=2,seed=1,input=40,output=5)");
    final FleetResult one =
        run(ranks(2, "round-robin"), "generated(rate=1000,requests=1,seed=1,input=40,output=5)");

    final FleetRequest first = both.requests().get(0);
    final FleetRequest second = both.requests().get(1);
    assertThat(both.requestsByInstance()).containsExactly(1, 1);
    // alone: 40 tokens and one of no request, then one of each for four tokens
    assertThat(one.requests().getFirst().ttftNs()).isEqualTo(41_000_000);
    assertThat(one.requests().getFirst().endToEndNs()).isEqualTo(41_000_000 + 4 * 2_000_000);
    // the second comes while the first's prompt is computed; beside its own the first decodes once
    assertThat(first.ttftNs()).isEqualTo(41_000_000);
    assertThat(second.arrivalNs() + second.ttftNs())
        .isEqualTo(first.arrivalNs() + 41_000_000 + 41_000_000);
    assertThat(first.endToEndNs()).isEqualTo(41_000_000 + 41_000_000 + 3 * 2_000_000);
    assertThat(second.endToEndNs() - second.ttftNs()).isEqualTo(4 * 2_000_000);
  }

  @Test
  void shouldRunRanksTogetherTheSameInEachRun() {
    final FleetResult first = run(ranks(3, "least-load"), SHARED);
    final FleetResult second = run(ranks(3, "least-load"), SHARED);

    assertThat(rows(second)).isEqualTo(rows(first));
    assertThat(first.requests())
        .hasSize(600)
        .allSatisfy(request -> assertThat(request.outcome()).isEqualTo("length"));
  }

  /** Fails in the tenth step. */
  private static final class BrokenTime implements LatencyModel, GroupLatency {
    private int steps;

    @Override
    public long stepNs(StepFeatures step) {
      return 1;
    }

    @Override
    public long groupStepNs(List<StepFeatures> ranks) {
      if (++steps == 10) {
        throw new IllegalArgumentException("no time is known");
      }
      return 1_000_000;
    }
  }

  @Test
  @Timeout(60)
  void shouldEndTheThreadsOfRanksWhenARunFails() {
    final EngineSettings broken = engine().withLatency(new BrokenTime());

    assertThatThrownBy(() -> run(new FleetSettings(broken, 2, "round-robin", 0, true), SHARED))
        .hasMessage("no time is known");
    assertThat(Thread.getAllStackTraces().keySet())
        .noneMatch(thread -> thread.getName().startsWith("rank-"));
    assertThatThrownBy(() -> new FleetSettings(engine(), 2, "random", 0, true))
        .hasMessageContaining("the latency of ranks in lockstep must be one of groups");
  }

  private static FleetResult run(FleetSettings settings, String load) {
    try (Workload workload = NamedLoads.open(load)) {
      return new FleetRun(settings, List.of()).run(workload, arrived -> {});
    }
  }

  private static RunFigures alone(String load) {
    return alone(engine(), new RunMeter(), load);
  }

  private static RunFigures alone(EngineSettings settings, RunMeter meter, String load) {
    try (Workload workload = NamedLoads.open(load)) {
      settings.run(load, workload, meter.probe());
      return meter.figures(new PrefixBound());
    }
  }

  private static FleetSettings settings(int instances, String router, long delayMs) {
    return new FleetSettings(engine(), instances, router, delayMs * 1_000_000);
  }

  private static EngineSettings engine() {
    return engine(2_000);
  }

  private static EngineSettings engine(int blocks) {
    final KvCacheShape kvCache = KvCacheShape.builder().blockSize(16).blocks(blocks).build();
    final SchedulerLimits limits =
        SchedulerLimits.builder()
            .maxNumSeqs(64)
            .maxNumBatchedTokens(2_048)
            .maxModelLen(4_800)
            .build();
    return new EngineSettings(
        SchedulerConfig.builder(limits).build(),
        kvCache,
        LinearLatencyModel.LLAMA_3_1_8B_ON_H100,
        42);
  }

  /** Counts decisions and their ends. */
  private static final class Ends implements RoutingListener {
    private int decided;
    private int ended;
    private long cached;

    @Override
    public void onDecision(RoutingDecision decision) {
      decided++;
    }

    @Override
    public void onEnded(RoutingDecision decision, RoutingOutcome outcome, long cachedTokens) {
      ended++;
      cached += cachedTokens;
    }
  }
}
