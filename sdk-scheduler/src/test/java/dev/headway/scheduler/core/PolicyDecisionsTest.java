package dev.headway.scheduler.core;

import static dev.headway.scheduler.testing.PlanAssert.assertThat;
import static dev.headway.scheduler.testing.SchedulerFixture.fixture;
import static dev.headway.scheduler.testing.SchedulerFixture.request;
import static dev.headway.scheduler.testing.SchedulerFixture.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.policy.AdmissionGate;
import dev.headway.api.policy.Candidates;
import dev.headway.api.policy.ChunkPolicy;
import dev.headway.api.policy.DynamicOrder;
import dev.headway.api.policy.Policies;
import dev.headway.api.policy.ServiceLedger;
import dev.headway.api.policy.StaticOrder;
import dev.headway.api.policy.StepView;
import dev.headway.api.policy.VictimPolicy;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.RequestView;
import dev.headway.api.schedule.SchedulerStats;
import dev.headway.api.step.StepPlan;
import dev.headway.scheduler.testing.SchedulerFixture;
import dev.headway.scheduler.testing.SchedulerFixture.Ended;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Where the scheduler asks policies, and what it makes of their answers. */
class PolicyDecisionsTest {

  private static final StaticOrder SHORTEST_PROMPT = RequestView::promptTokens;

  /** The latest arrival first. */
  private static class Newest implements DynamicOrder {

    @Override
    public void score(Candidates candidates, double[] scores, StepView step) {
      for (int i = 0; i < candidates.size(); i++) {
        scores[i] = -candidates.request(i).number();
      }
    }
  }

  @Test
  void shouldAdmitInTheOrderOfKeys() {
    final SchedulerFixture given =
        with(Policies.builder().order(SHORTEST_PROMPT))
            .maxNumSeqs(2)
            .waiting("long", 12)
            .waiting("short", 3)
            .waiting("middle", 7);

    given.schedule();

    assertThat(given.plan()).schedulesOnly("short", "middle");
    assertThat(given.waitingIds()).containsExactly("long");
  }

  @Test
  void shouldRankWhoWaitsAnewInEveryStep() {
    final SchedulerFixture given =
        with(Policies.builder().order(new Newest()))
            .maxNumSeqs(1)
            .waiting("first", 3)
            .waiting("second", 3);

    given.schedule();
    assertThat(given.plan()).schedulesOnly("second");
    given.update();
    given.finish("second", FinishReason.ABORTED);
    given.waiting("third", 3).schedule();

    assertThat(given.plan()).schedulesOnly("third");
  }

  @Test
  void shouldRankNoMoreThanTheWindow() {
    final Newest narrow =
        new Newest() {
          @Override
          public int window() {
            return 2;
          }
        };
    final SchedulerFixture given =
        with(Policies.builder().order(narrow))
            .waiting("first", 3)
            .waiting("second", 3)
            .waiting("third", 3);

    given.schedule();

    assertThat(given.plan()).schedulesOnly("second", "first", "third");
  }

  @Test
  void shouldScoreAgainAfterAnAdmissionIfTheOrderSaysSo() {
    final List<Integer> sizes = new ArrayList<>();
    final Newest rescored =
        new Newest() {
          @Override
          public boolean changesWithAdmissions() {
            return true;
          }

          @Override
          public void score(Candidates candidates, double[] scores, StepView step) {
            sizes.add(candidates.size());
            super.score(candidates, scores, step);
          }
        };
    final SchedulerFixture given =
        with(Policies.builder().order(rescored)).waiting("a", 3).waiting("b", 3).waiting("c", 3);

    given.schedule();

    assertThat(sizes).containsExactly(3, 2, 1);
    assertThat(given.plan()).schedulesOnly("c", "b", "a");
  }

  @Test
  void shouldTakeAbortedCandidatesOutOfTheOrder() {
    final SchedulerFixture given =
        with(Policies.builder().order(SHORTEST_PROMPT)).waiting("a", 3).waiting("b", 4);

    given.finish("a", FinishReason.ABORTED);
    given.schedule();

    assertThat(given.plan()).schedulesOnly("b").announcesFinished("a");
  }

  @Test
  void shouldPassOverWhoIsDeferredWhileOthersRun() {
    final AdmissionGate odd =
        (request, step) ->
            request.promptTokens() % 2 == 1
                ? AdmissionGate.Verdict.DEFER
                : AdmissionGate.Verdict.ADMIT;
    final SchedulerFixture given =
        with(Policies.builder().gate(odd)).running("runs", 4).waiting("odd", 3).waiting("even", 4);

    given.schedule();

    assertThat(given.plan()).schedulesOnly("runs", "even");
    assertThat(given.log().lines()).contains("2: blocked odd POLICY_DEFERRED by - needed=0 free=0");
  }

  /** Windows of three over seven requests, of which the odd ones are passed over. */
  @Test
  void shouldLookAtEveryRequestOnceWindowByWindow() {
    final List<Integer> sizes = new ArrayList<>();
    final List<String> asked = new ArrayList<>();
    final AdmissionGate odd =
        (request, step) -> {
          asked.add(request.id());
          return request.promptTokens() % 2 == 1
              ? AdmissionGate.Verdict.DEFER
              : AdmissionGate.Verdict.ADMIT;
        };
    final Newest narrow =
        new Newest() {
          @Override
          public int window() {
            return 3;
          }

          @Override
          public void score(Candidates candidates, double[] scores, StepView step) {
            sizes.add(candidates.size());
            super.score(candidates, scores, step);
          }
        };
    final SchedulerFixture given =
        with(Policies.builder().order(narrow).gate(odd))
            .running("runs", 4)
            .waiting("a", 3)
            .waiting("b", 4)
            .waiting("c", 5)
            .waiting("d", 6)
            .waiting("e", 7)
            .waiting("f", 9)
            .waiting("g", 8);

    given.schedule();

    assertThat(given.plan()).schedulesOnly("runs", "b", "d", "g");
    assertThat(asked).containsExactly("runs", "c", "b", "a", "f", "e", "d", "g");
    assertThat(sizes).as("the one that runs, then three windows").containsExactly(1, 3, 3, 1);
  }

  /**
   * However many it defers, a gate is asked no more than so often in a step, and all are in turn.
   */
  @Test
  void shouldBoundHowOftenAGateIsAskedInAStep() {
    final List<String> asked = new ArrayList<>();
    final AdmissionGate all =
        (request, step) -> {
          asked.add(request.id());
          return request.id().equals("runs")
              ? AdmissionGate.Verdict.ADMIT
              : AdmissionGate.Verdict.DEFER;
        };
    final SchedulerFixture given = with(Policies.builder().gate(all)).running("runs", 4);
    for (int i = 0; i < 1_000; i++) {
      given.waiting("r" + i, 3);
    }
    asked.clear();

    given.step();

    assertThat(asked).hasSize(256).startsWith("r0", "r1").endsWith("r255");
    assertThat(given.log().lines()).contains("2: closed HEAD_OF_LINE by r255");
    asked.clear();
    for (int step = 0; step < 40; step++) {
      given.step();
    }
    assertThat(asked).hasSizeLessThanOrEqualTo(40 * 256).contains("r0", "r256", "r512", "r999");
    assertThat(given.log().of("unblocked")).as("those deferred keep their reason").isEmpty();
  }

  @Test
  void shouldAdmitWhoIsDeferredWhenNobodyRuns() {
    final AdmissionGate never = (request, step) -> AdmissionGate.Verdict.DEFER;
    final SchedulerFixture given =
        with(Policies.builder().gate(never)).waiting("a", 3).waiting("b", 3);

    given.schedule();

    assertThat(given.plan()).schedulesOnly("a");
  }

  @Test
  void shouldEndWhoIsRejected() {
    final AdmissionGate never = (request, step) -> AdmissionGate.Verdict.REJECT;
    final SchedulerFixture given = with(Policies.builder().gate(never)).waiting("a", 3);

    given.schedule();

    assertThat(given.plan()).isEmpty().announcesFinished("a");
    assertThat(given.ended("a")).isEqualTo(Ended.with(FinishReason.REJECTED_BY_POLICY));
  }

  @Test
  void shouldKeepTheBlocksThatThePolicyReserves() {
    final SchedulerFixture given =
        with(Policies.builder().capacity((candidate, cached, tokens, step) -> 7))
            .blocks(10)
            .running("runs", 4)
            .waiting("next", 12);

    given.schedule(); // the next needs 3 of 9 and 7 are to stay

    assertThat(given.plan()).schedulesOnly("runs");
    assertThat(given.log().lines())
        .anyMatch(line -> line.contains("next") && line.contains("CAPACITY_RESERVED"));
  }

  @Test
  void shouldIgnoreTheReserveWhenNobodyRuns() {
    final SchedulerFixture given =
        with(Policies.builder().capacity((candidate, cached, tokens, step) -> 1_000))
            .blocks(10)
            .waiting("a", 12);

    given.schedule();

    assertThat(given.plan()).schedulesOnly("a");
  }

  @Test
  void shouldScheduleNoMoreThanThePolicysBudget() {
    final SchedulerFixture given =
        with(Policies.builder().budget(step -> 5)).maxNumBatchedTokens(100).waiting("a", 12);

    given.schedule();

    assertThat(given.plan()).schedules("a", 5);
  }

  @Test
  void shouldCutPromptsAsThePolicySays() {
    final ChunkPolicy quarters = (request, wanted, step) -> 3;
    final SchedulerFixture given =
        with(Policies.builder().chunking(quarters)).waiting("a", 8).waiting("b", 2);

    given.schedule();
    assertThat(given.plan()).schedules("a", 3).schedules("b", 2);
    given.update().schedule();

    assertThat(given.plan()).schedules("a", 3).schedules("b", 1); // a decode is not cut
  }

  @Test
  void shouldPreemptWhomThePolicyNames() {
    final VictimPolicy first = (needy, needed, step) -> 0;
    final SchedulerFixture given = tight(first).schedule();

    assertThat(given.plan()).preempts("old");
  }

  @Test
  void shouldLetTheNeedyWaitWhenThePolicyNamesNobody() {
    final VictimPolicy nobody = (needy, needed, step) -> VictimPolicy.STALL;
    final SchedulerFixture given = tight(nobody).waiting("new", 1).schedule();

    assertThat(given.plan()).schedulesOnly("young").preempts();
    assertThat(given.log().lines())
        .contains("3: blocked old STALLED by - needed=1 free=0", "3: closed STALLED by -");
  }

  @Test
  void shouldTakeTheDefaultVictimWhenNobodyWouldProgress() {
    final VictimPolicy nobody = (needy, needed, step) -> VictimPolicy.STALL;
    final SchedulerFixture given =
        with(Policies.builder().victim(nobody)).blocks(2).running("a", 4).waiting("b", 4);
    given.step().step();

    assertThat(given.runningIds()).isNotEmpty();
  }

  /** Each of them holds a block and lacks two; the last two give theirs to the first at once. */
  @Test
  void shouldTakeDefaultVictimsInOneStepUntilSomeRequestProgresses() {
    final VictimPolicy nobody = (needy, needed, step) -> VictimPolicy.STALL;
    final SchedulerFixture given =
        with(Policies.builder()
                .victim(nobody)
                .chunking((request, wanted, step) -> request.computedTokens() == 0 ? 4 : 8))
            .withoutCaching()
            .withoutGate()
            .blocks(4)
            .waiting("a", 16)
            .waiting("b", 16)
            .waiting("c", 16)
            .waiting("d", 16)
            .step();
    assertThat(given.runningIds()).containsExactly("a", "b", "c", "d");

    given.schedule();

    assertThat(given.plan()).preempts("d", "c").schedulesOnly("a");
    assertThat(given.runningIds()).containsExactly("a", "b");
  }

  @Test
  void shouldCountNonsenseAndGoOnWithTheDefault() {
    final SchedulerFixture given =
        with(Policies.builder()
                .budget(step -> -1)
                .chunking((request, wanted, step) -> 0)
                .gate(
                    (request, step) -> {
                      throw new IllegalStateException("broken");
                    }))
            .waiting("a", 12);

    given.schedule();

    assertThat(given.plan()).schedules("a", 12);
    final SchedulerStats stats = given.driver().scheduler().stats();
    assertThat(stats.policyFaults()).isEqualTo(3);
  }

  @Test
  void shouldKeepLedgersInformed() {
    final List<String> told = new ArrayList<>();
    final ServiceLedger ledger =
        new ServiceLedger() {
          @Override
          public void onQueued(RequestView request) {
            told.add("queued " + request.id());
          }

          @Override
          public void onAdmitted(RequestView request, int cachedTokens) {
            told.add("admitted " + request.id() + " " + cachedTokens);
          }

          @Override
          public void onServed(StepPlan plan) {
            told.add("served " + plan.totalTokens() + " " + plan.producedTokens(0));
          }

          @Override
          public void onFinished(RequestView request) {
            told.add("finished " + request.id());
          }
        };
    final SchedulerFixture given = with(Policies.builder().ledger(ledger));

    given.waiting("a", 5).step().finish("a", FinishReason.ABORTED);

    assertThat(told).containsExactly("queued a", "admitted a 0", "served 5 1", "finished a");
  }

  @Test
  void shouldLookUpACachedPrefixOncePerStep() {
    final List<Integer> cached = new ArrayList<>();
    final DynamicOrder looks =
        (candidates, scores, step) -> {
          for (int i = 0; i < candidates.size(); i++) {
            cached.add(step.cachedPrefixTokens(candidates.request(i)));
            scores[i] = i;
          }
        };
    final SchedulerFixture given =
        with(Policies.builder().order(looks)).running(request("a", text(1, 9)));

    given.waiting(request("b", text(1, 9))).step();

    assertThat(cached).containsExactly(0, 8);
  }

  @Test
  void shouldNotLookUpThePrefixOfARequestThatRuns() {
    final VictimPolicy looks = (needy, needed, step) -> step.cachedPrefixTokens(step.running(0));
    final SchedulerFixture given = tight(looks).schedule();

    assertThat(given.plan()).preempts("young"); // the default decided
    assertThat(given.driver().scheduler().stats().policyFaults()).isEqualTo(1);
  }

  /** Two run, each with a full block, and one block is free: the older one takes it. */
  private static SchedulerFixture tight(VictimPolicy victims) {
    return with(Policies.builder().victim(victims))
        .blocks(4)
        .withoutCaching()
        .running("old", 7)
        .running("young", 5);
  }

  private static SchedulerFixture with(Policies.Builder policies) {
    return fixture().policies(policies.build());
  }
}
