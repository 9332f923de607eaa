package dev.headway.simulation.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.scheduler.sim.LinearLatencyModel;
import dev.headway.simulation.plan.PlannedMachine.Stage;
import dev.headway.simulation.run.EngineSettings;
import dev.headway.simulation.workload.generated.NamedLoads;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Every step takes 10 ms, whatever is in it, and a request of 10 tokens takes 10 steps: with {@code
 * n} seats an instance ends {@code n} requests in 100 ms, so {@code 10 n} in a second.
 */
class MachinePlanTest {

  private static final LatencyLimits LIMITS =
      new LatencyLimits(200_000_000, 20_000_000, LatencyLimits.NONE, 99);

  private static PlanLoad load(int requests) {
    return PlanLoad.read(
        NamedLoads.open(
            "generated(rate=10,arrival=constant,input=constant:16,output=constant:10,requests="
                + requests
                + ")"));
  }

  private static EngineSettings engine(int seats, int blocks, long stepNs) {
    return new EngineSettings(
        SchedulerConfig.builder(
                SchedulerLimits.builder()
                    .maxNumSeqs(seats)
                    .maxNumBatchedTokens(8_192)
                    .maxModelLen(4_096)
                    .build())
            .build(),
        KvCacheShape.builder().blockSize(16).blocks(blocks).build(),
        new LinearLatencyModel(stepNs, 0, 0, 0),
        1);
  }

  private static PlanCandidate candidate(int number, int seats, int instances, double cost) {
    return new PlanCandidate(
        number,
        "seats " + seats,
        () -> engine(seats, 10_000, 10_000_000),
        instances,
        "round-robin",
        instances,
        cost);
  }

  private static List<PlannedMachine> plan(
      double wanted, LatencyLimits limits, PlanCandidate... candidates)
      throws InterruptedException {
    return new MachinePlan(load(2_000), limits, wanted, 2, done -> {}).run(List.of(candidates));
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "4, 1", "8, 1", "4, 2", "4, 3"})
  void shouldFindTheRateThatSeatsAllow(int seats, int instances) throws InterruptedException {
    final PlannedMachine found =
        plan(10.0 * seats * instances, LIMITS, candidate(1, seats, instances, 1)).getFirst();

    // the queue may grow until the last requests wait for the limit: 200 ms more than the load
    // takes
    final double rate = 10.0 * seats * instances;
    assertThat(found.stage()).isEqualTo(Stage.FULL);
    assertThat(found.maxRate()).isCloseTo(rate, within(0.04 * rate));
    assertThat(found.notMetAt()).isGreaterThan(rate).isLessThan(1.08 * rate);
    assertThat(Objects.requireNonNull(found.limitedBy()).pressure().mostRunning()).isEqualTo(seats);
    assertThat(LIMITS.worst(found.limitedBy()).limit()).isEqualTo(LatencyLimit.TTFT);
  }

  /**
   * A request of 16 tokens and 10 needs 2 blocks of 16 in the end: 4 fit into 8, and the null
   * block.
   */
  @Test
  void shouldFindTheRateThatTheKvCacheAllows() throws InterruptedException {
    final PlannedMachine found =
        plan(
                40,
                LIMITS,
                new PlanCandidate(
                    1, "small", () -> engine(64, 9, 10_000_000), 1, "round-robin", 1, 1))
            .getFirst();

    assertThat(found.maxRate()).isCloseTo(40, within(2.0));
    assertThat(Objects.requireNonNull(found.limitedBy()).pressure().mostKvShare()).isEqualTo(1);
    assertThat(found.limitedBy().pressure().preemptions()).isPositive();
  }

  @Test
  void shouldSayThatNoRateKeepsToALimitBelowAStep() throws InterruptedException {
    final LatencyLimits tooTight =
        new LatencyLimits(200_000_000, 9_000_000, LatencyLimits.NONE, 99);

    final PlannedMachine found = plan(40, tooTight, candidate(1, 4, 1, 1)).getFirst();

    assertThat(found.maxRate()).isZero();
    assertThat(tooTight.worst(Objects.requireNonNull(found.limitedBy())).limit())
        .isEqualTo(LatencyLimit.TPOT);
    assertThat(tooTight.worst(found.limitedBy()).ratio()).isCloseTo(10.0 / 9, within(1e-6));
  }

  /** 10 ms per step and 10 steps: 100 ms, and up to a step until a seat is looked at. */
  @Test
  void shouldKeepToALimitOfTheWholeRequest() throws InterruptedException {
    final LatencyLimits below = new LatencyLimits(200_000_000, 20_000_000, 99_000_000, 99);
    final LatencyLimits above = new LatencyLimits(200_000_000, 20_000_000, 111_000_000, 99);

    assertThat(plan(30, below, candidate(1, 4, 1, 1)).getFirst().maxRate()).isZero();
    assertThat(plan(30, above, candidate(1, 4, 1, 1)).getFirst().maxRate()).isGreaterThan(30);
  }

  @Test
  void shouldRunTheCheapestThatMayMeetAndTheFrontierInFull() throws InterruptedException {
    final List<PlannedMachine> found =
        plan(
            75,
            LIMITS,
            candidate(1, 4, 1, 1), // 40 requests/s: too slow, on the frontier
            candidate(2, 8, 1, 2), // 80: the cheapest that meets
            candidate(3, 8, 1, 3), // as good and dearer
            candidate(4, 4, 2, 3), // likewise
            candidate(5, 16, 1, 4)); // 160: on the frontier

    assertThat(found.stream().filter(each -> each.stage() == Stage.FULL))
        .extracting(each -> each.candidate().number())
        .contains(1, 2, 5);
    assertThat(
            found.stream()
                .filter(each -> each.atWanted() != null && LIMITS.areMet(each.atWanted()))
                .map(each -> each.candidate().number()))
        .startsWith(2)
        .endsWith(5);
  }

  @Test
  void shouldLeaveWhatIsDearerAndSlowerAtItsSample() throws InterruptedException {
    final List<PlannedMachine> found =
        plan(75, LIMITS, candidate(1, 8, 1, 1), candidate(2, 4, 1, 2), candidate(3, 1, 1, 3));

    assertThat(found)
        .extracting(PlannedMachine::stage)
        .containsExactly(Stage.FULL, Stage.SAMPLE, Stage.SAMPLE);
    assertThat(found.get(1).maxRate()).isCloseTo(40, within(6.0));
    assertThat(found.get(1).atWanted()).isNull();
  }

  @Test
  void shouldRunTheNearestInFullWhereNoneMeets() throws InterruptedException {
    final List<PlannedMachine> found =
        plan(500, LIMITS, candidate(1, 4, 1, 1), candidate(2, 8, 1, 2));

    assertThat(found).allSatisfy(each -> assertThat(each.stage()).isEqualTo(Stage.FULL));
    assertThat(found)
        .allSatisfy(
            each -> assertThat(LIMITS.areMet(Objects.requireNonNull(each.atWanted()))).isFalse());
  }

  @Test
  void shouldFindTheSameWithAnyNumberOfThreads() throws InterruptedException {
    final List<PlanCandidate> candidates = new ArrayList<>();
    for (int i = 1; i <= 6; i++) {
      candidates.add(candidate(i, 1 + i % 3 * 4, 1 + i % 2, i));
    }

    final List<PlannedMachine> one =
        new MachinePlan(load(600), LIMITS, 75, 1, done -> {}).run(candidates);
    final List<PlannedMachine> three =
        new MachinePlan(load(600), LIMITS, 75, 3, done -> {}).run(candidates);

    assertThat(three).isEqualTo(one);
  }

  /** Requests of 26 tokens do not fit into a cache of a block. */
  @Test
  void shouldCountRefusedRequestsAgainstTheLimits() throws InterruptedException {
    final PlannedMachine found =
        plan(
                10,
                LIMITS,
                new PlanCandidate(
                    1, "tiny", () -> engine(4, 2, 10_000_000), 1, "round-robin", 1, 1))
            .getFirst();

    assertThat(found.maxRate()).isZero();
    assertThat(LIMITS.worst(Objects.requireNonNull(found.limitedBy())).limit())
        .isEqualTo(LatencyLimit.REFUSED);
  }

  @Test
  void shouldRefuseALoadWithoutARate() {
    assertThatThrownBy(() -> PlanLoad.read(NamedLoads.open("random(requests=5)")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("a load must have a rate to be sent at others");
  }
}
