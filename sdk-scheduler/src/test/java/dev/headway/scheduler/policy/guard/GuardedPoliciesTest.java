package dev.headway.scheduler.policy.guard;

import static dev.headway.api.Absent.ABSENT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.policy.AdmissionGate.Verdict;
import dev.headway.api.policy.Candidates;
import dev.headway.api.policy.DynamicOrder;
import dev.headway.api.policy.Policies;
import dev.headway.api.policy.ServiceLedger;
import dev.headway.api.policy.StaticOrder;
import dev.headway.api.policy.StepView;
import dev.headway.api.policy.VictimPolicy;
import dev.headway.api.request.RequestStatus;
import dev.headway.api.request.RequestView;
import dev.headway.api.step.StepFeatures;
import dev.headway.api.step.StepPlan;
import dev.headway.testkit.FakePlan;
import dev.headway.testkit.FakeRequest;
import dev.headway.testkit.policy.PolicyContract;
import dev.headway.testkit.policy.SampleCandidates;
import dev.headway.testkit.policy.SampleStep;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntSupplier;
import java.util.function.ToDoubleFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GuardedPoliciesTest {

  private static final GuardLimits LIMITS = new GuardLimits(3, 1_000, 2);

  private final AtomicLong clock = new AtomicLong();
  private final FakeRequest running = FakeRequest.numbered(0, 10, 10).status(RequestStatus.RUNNING);
  private final FakeRequest waiting = FakeRequest.numbered(1, 10, 10);
  private final SampleStep step =
      SampleStep.of(PolicyContract.CONFIG, 16, 64).running(running).build();

  @Test
  void shouldTakeDefaultsWithoutPolicies() {
    final GuardedPolicies given = guard(Policies.builder());

    assertThat(given.ranks()).isFalse();
    assertThat(given.hasKeys()).isFalse();
    assertThat(given.decides(PolicyDecision.VICTIM)).isFalse();
    assertThat(given.victim(running, 1, step, 0)).isZero();
    assertThat(given.budget(step, 128)).isEqualTo(128);
    assertThat(given.chunk(running, 64, step)).isEqualTo(64);
    assertThat(given.blocksToKeepFree(waiting, 0, 10, step)).isZero();
    assertThat(given.admit(waiting, step)).isEqualTo(Verdict.ADMIT);
    assertThat(given.estimateNs(new StepFeatures())).isEqualTo(ABSENT);
    assertThat(given.faults()).isZero();
  }

  @Test
  void shouldHandOverPossibleAnswers() {
    final GuardedPolicies given =
        guard(
            Policies.builder()
                .victim((needy, needed, s) -> VictimPolicy.STALL)
                .budget(s -> 7)
                .chunking((request, wanted, s) -> 9)
                .capacity((candidate, cached, tokens, s) -> 5)
                .gate((request, s) -> Verdict.DEFER)
                .stepTime(shape -> 11));

    assertThat(given.victim(running, 1, step, 0)).isEqualTo(VictimPolicy.STALL);
    assertThat(given.budget(step, 128)).isEqualTo(7);
    assertThat(given.chunk(running, 64, step)).isEqualTo(9);
    assertThat(given.chunk(running, 4, step)).isEqualTo(4);
    assertThat(given.blocksToKeepFree(waiting, 0, 10, step)).isEqualTo(5);
    assertThat(given.admit(waiting, step)).isEqualTo(Verdict.DEFER);
    assertThat(given.estimateNs(new StepFeatures())).isEqualTo(11);
    assertThat(given.faults()).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {-2, 1, Integer.MAX_VALUE, Integer.MIN_VALUE})
  void shouldNotBelieveImpossibleVictims(int answer) {
    final GuardedPolicies given = guard(Policies.builder().victim((needy, needed, s) -> answer));

    assertThat(given.victim(running, 1, step, 0)).isZero();
    assertThat(given.faults(PolicyDecision.VICTIM)).isEqualTo(1);
  }

  @Test
  @SuppressWarnings("NullAway")
  void shouldNotBelieveOtherImpossibleAnswers() {
    final GuardedPolicies given =
        guard(
            Policies.builder()
                .budget(s -> 129)
                .chunking((request, wanted, s) -> 0)
                .capacity((candidate, cached, tokens, s) -> -1)
                .gate((request, s) -> null)
                .stepTime(shape -> -1));

    assertThat(given.budget(step, 128)).isEqualTo(128);
    assertThat(given.chunk(running, 64, step)).isEqualTo(64);
    assertThat(given.blocksToKeepFree(waiting, 0, 10, step)).isZero();
    assertThat(given.admit(waiting, step)).isEqualTo(Verdict.ADMIT);
    assertThat(given.estimateNs(new StepFeatures())).isEqualTo(ABSENT);
    assertThat(given.faults()).isEqualTo(5);
    assertThat(given.faults(PolicyDecision.GATE)).isEqualTo(1);
  }

  @Test
  void shouldRankByScoreThenByPosition() {
    final GuardedPolicies given = guard(Policies.builder().order(scoring(3, 1, 2, 1)));

    final Ranking ranking =
        given.rank(SampleCandidates.of(running, running, running, waiting), step);

    assertThat(ranking.isScored()).isTrue();
    assertThat(ranking.score(2)).isEqualTo(2);
    assertThat(all(ranking)).containsExactly(1, 3, 2, 0);
  }

  @ParameterizedTest
  @ValueSource(doubles = {Double.NaN, -1})
  void shouldRankByArrivalWhenAScoreIsMissing(double second) {
    // a scoring order that leaves out whatever is negative
    final GuardedPolicies given = guard(Policies.builder().order(scoring(3, second)));

    final Ranking ranking = given.rank(SampleCandidates.of(running, waiting), step);

    assertThat(ranking.isScored()).isFalse();
    assertThat(all(ranking)).containsExactly(0, 1);
    assertThat(given.faults(PolicyDecision.ORDER)).isEqualTo(1);
  }

  @Test
  void shouldRankInfiniteScores() {
    final GuardedPolicies given =
        guard(Policies.builder().order(scoring(Double.POSITIVE_INFINITY, 0)));

    assertThat(all(given.rank(SampleCandidates.of(running, waiting), step))).containsExactly(1, 0);
  }

  @Test
  void shouldPlaceARequestWithoutAKeyLikeTheOneBefore() {
    final GuardedPolicies given =
        guard(Policies.builder().order(keyed(request -> request.number() == 0 ? 5 : Double.NaN)));

    assertThat(given.key(running)).isEqualTo(5);
    assertThat(given.key(waiting)).isEqualTo(5);
    assertThat(given.faults(PolicyDecision.ORDER)).isEqualTo(1);
  }

  @Test
  void shouldDisableAPolicyAfterFailuresInARow() {
    final AtomicInteger calls = new AtomicInteger();
    final GuardedPolicies given =
        guard(
            Policies.builder()
                .victim(
                    (needy, needed, s) -> {
                      calls.incrementAndGet();
                      throw new IllegalStateException("no idea");
                    }));

    for (int i = 0; i < 10; i++) {
      assertThat(given.victim(running, 1, step, 0)).isZero();
    }

    assertThat(calls).hasValue(3);
    assertThat(given.faults()).isEqualTo(3);
    assertThat(given.disabledCount()).isEqualTo(1);
    assertThat(given.decides(PolicyDecision.VICTIM)).isFalse();
  }

  @Test
  void shouldForgiveFailuresThatAreNotInARow() {
    final AtomicInteger calls = new AtomicInteger();
    final GuardedPolicies given =
        guard(Policies.builder().victim((n, m, s) -> calls.getAndIncrement() % 3 == 2 ? 0 : 99));

    for (int i = 0; i < 30; i++) {
      given.victim(running, 1, step, 0);
    }

    assertThat(given.faults()).isEqualTo(20);
    assertThat(given.disabledCount()).isZero();
  }

  @Test
  void shouldNotForgetFailedDecisionsOverEventsThatSucceed() {
    final GuardedPolicies given = guard(Policies.builder().chunking((request, wanted, s) -> -1));

    for (int i = 0; i < 3; i++) {
      given.onStep(step);
      given.chunk(running, 8, step);
    }

    assertThat(given.disabledCount()).isEqualTo(1);
  }

  @Test
  void shouldDisableAPolicyAfterOneError() {
    final GuardedPolicies given =
        guard(Policies.builder().budget(s -> fail(new StackOverflowError())));

    assertThat(given.budget(step, 128)).isEqualTo(128);
    assertThat(given.disabledCount()).isEqualTo(1);
  }

  @Test
  void shouldSurviveAThrowableThatThrows() {
    final Error evil =
        new Error() {
          @Override
          public String getMessage() {
            throw new IllegalStateException("even here");
          }

          @Override
          public void printStackTrace(PrintStream stream) {
            throw new IllegalStateException("and here");
          }
        };

    assertThatCode(() -> guard(Policies.builder().budget(s -> fail(evil))).budget(step, 128))
        .doesNotThrowAnyException();
  }

  @Test
  void shouldLeaveAnInterruptSet() {
    final GuardedPolicies given =
        guard(
            Policies.builder()
                .budget(
                    s -> {
                      Thread.currentThread().interrupt();
                      throw new IllegalStateException("interrupted");
                    }));

    given.budget(step, 128);

    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void shouldTellEveryLedgerWhateverTheOthersDo() {
    final List<String> heard = new ArrayList<>();
    final GuardedPolicies given =
        guard(Policies.builder().ledger(new FailingLedger()).ledger(new HearingLedger(heard)));

    given.onQueued(waiting);
    given.onAdmitted(waiting, 4);
    given.onServed(new FakePlan());
    given.onFinished(waiting);

    assertThat(heard).containsExactly("queued", "admitted 4", "served", "finished");
    assertThat(given.faults(PolicyDecision.LEDGER)).isEqualTo(1);
  }

  @Test
  void shouldDisableAllDecisionsOfOneObject() {
    final OrderAndLedger policy = new OrderAndLedger();
    final GuardedPolicies given = guard(Policies.builder().order(policy).ledger(policy));
    final SampleCandidates two = SampleCandidates.of(running, waiting);
    assertThat(all(given.rank(two, step))).containsExactly(1, 0);

    for (int i = 0; i < 3; i++) {
      given.onQueued(waiting);
      given.rank(two, step);
    }

    assertThat(given.disabledCount()).isEqualTo(1);
    assertThat(all(given.rank(two, step))).containsExactly(0, 1);
    assertThat(given.ranks()).isTrue();
  }

  @Test
  void shouldMeasureTheTimeOfAStep() {
    final GuardedPolicies given = guard(Policies.builder().budget(s -> slow(300)));
    given.beginStep();

    given.budget(step, 128);
    given.budget(step, 128);

    assertThat(given.policyNsOfStep()).isEqualTo(600);
    given.beginStep();
    assertThat(given.policyNsOfStep()).isZero();
  }

  @Test
  void shouldDisableAPolicyThatIsSlowInConsecutiveSteps() {
    final AtomicInteger ns = new AtomicInteger(1_001);
    final GuardedPolicies given =
        guard(Policies.builder().budget(s -> slow(ns.get())).victim((n, m, s) -> 0));

    overrun(given);
    ns.set(1_000);
    overrun(given);
    ns.set(1_001);
    overrun(given);
    assertThat(given.disabledCount()).isZero();

    overrun(given);
    assertThat(given.disabledCount()).isEqualTo(1);
    assertThat(given.decides(PolicyDecision.BUDGET)).isFalse();
    assertThat(given.decides(PolicyDecision.VICTIM)).isTrue();
  }

  @Test
  void shouldAskForTheWindowOnce() {
    assertThat(guard(Policies.builder().order(windowed(() -> 7))).window()).isEqualTo(7);
    assertThat(guard(Policies.builder().order(windowed(() -> 0))).window()).isEqualTo(128);
    assertThat(guard(Policies.builder().order(windowed(() -> fail(new Error())))).window())
        .isEqualTo(128);
  }

  @Test
  void shouldRefuseImpossibleLimits() {
    assertThatThrownBy(() -> new GuardLimits(0, 0, 1))
        .hasMessage(
            "guard limits must have consecutiveFaults >= 1, stepBudgetNs >= 0 and"
                + " consecutiveOverruns >= 1: consecutiveFaults=0, stepBudgetNs=0,"
                + " consecutiveOverruns=1");
  }

  private GuardedPolicies guard(Policies.Builder policies) {
    return new GuardedPolicies(policies.build(), LIMITS, clock::get);
  }

  private void overrun(GuardedPolicies policies) {
    policies.budget(step, 128);
    policies.beginStep();
  }

  private int slow(int ns) {
    clock.addAndGet(ns);
    return 1;
  }

  private static int fail(Error error) {
    throw error;
  }

  private static List<Integer> all(Ranking ranking) {
    final List<Integer> all = new ArrayList<>();
    for (int next = ranking.next(); next != Ranking.NONE; next = ranking.next()) {
      all.add(next);
    }
    return all;
  }

  private static DynamicOrder scoring(double... answers) {
    return (candidates, scores, step) -> {
      for (int i = 0; i < answers.length; i++) {
        if (!(answers[i] < 0)) {
          scores[i] = answers[i];
        }
      }
    };
  }

  private static StaticOrder keyed(ToDoubleFunction<RequestView> key) {
    return key::applyAsDouble;
  }

  private static DynamicOrder windowed(IntSupplier window) {
    return new DynamicOrder() {
      @Override
      public int window() {
        return window.getAsInt();
      }

      @Override
      public void score(Candidates candidates, double[] scores, StepView step) {}
    };
  }

  private static final class FailingLedger implements ServiceLedger {
    @Override
    public void onQueued(RequestView request) {
      throw new IllegalStateException("not me");
    }
  }

  private record HearingLedger(List<String> heard) implements ServiceLedger {
    @Override
    public void onQueued(RequestView request) {
      heard.add("queued");
    }

    @Override
    public void onAdmitted(RequestView request, int cachedTokens) {
      heard.add("admitted " + cachedTokens);
    }

    @Override
    public void onServed(StepPlan plan) {
      heard.add("served");
    }

    @Override
    public void onFinished(RequestView request) {
      heard.add("finished");
    }
  }

  /** Ranks backwards; cannot keep account. */
  private static final class OrderAndLedger implements DynamicOrder, ServiceLedger {
    @Override
    public void score(Candidates candidates, double[] scores, StepView step) {
      for (int i = 0; i < candidates.size(); i++) {
        scores[i] = -i;
      }
    }

    @Override
    public void onQueued(RequestView request) {
      throw new IllegalStateException("no ink");
    }
  }
}
