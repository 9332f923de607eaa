package dev.headway.scheduler.core;

import static dev.headway.scheduler.testing.PlanAssert.assertThat;
import static dev.headway.scheduler.testing.SchedulerFixture.fixture;
import static dev.headway.scheduler.testing.SchedulerFixture.request;
import static dev.headway.scheduler.testing.SchedulerFixture.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.config.SpeculationOptions;
import dev.headway.api.config.SpeculativeMethod;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.RequestView;
import dev.headway.api.request.StopRule;
import dev.headway.api.schedule.OutputListener;
import dev.headway.api.schedule.ResetScope;
import dev.headway.api.schedule.SchedulerStats;
import dev.headway.api.step.EntryKind;
import dev.headway.scheduler.testing.PlanCopy.Entry;
import dev.headway.scheduler.testing.SchedulerFixture;
import dev.headway.scheduler.testing.SchedulerFixture.Ended;
import org.junit.jupiter.api.Test;

/** Who computes how many tokens. */
class SchedulingTest {

  @Test
  void shouldComputeThePromptFirstAndThenTokenByToken() {
    final SchedulerFixture given = fixture().waiting("a", 9);

    given.step();
    assertThat(given.plan()).schedules("a", 9).startsAt("a", 0).hasBlocks("a", 1, 2, 3);

    given.step();
    assertThat(given.plan()).schedules("a", 1).startsAt("a", 9);
  }

  @Test
  void shouldTellTheExecutorOnlyOfNewBlocks() {
    final SchedulerFixture given = fixture().running("a", 4);

    given.step();
    assertThat(given.plan().entries())
        .containsExactly(
            new Entry(
                "a", EntryKind.RUNNING, 1, 4, true, given.plan().entries().getFirst().blocks(), 1));
    assertThat(given.plan()).hasBlocks("a", 1, 2);

    given.step();
    assertThat(given.plan().entries().getFirst().newFrom()).as("nothing new").isEqualTo(2);
  }

  @Test
  void shouldServeRunningRequestsBeforeWaitingOnes() {
    final SchedulerFixture given =
        fixture().maxNumSeqs(4).maxNumBatchedTokens(8).running("a", 12).waiting("b", 12);

    given.step();

    assertThat(given.plan()).schedulesOnly("a", "b").schedules("a", 4).schedules("b", 4);
  }

  @Test
  void shouldAdmitInOrderOfArrival() {
    final SchedulerFixture given =
        fixture().maxNumSeqs(2).waiting("a", 4).waiting("b", 4).waiting("c", 1);

    given.step();

    assertThat(given.plan()).schedulesOnly("a", "b");
    assertThat(given.waitingIds()).containsExactly("c");
  }

  @Test
  void shouldAdmitTheMoreImportantFirstThenTheEarlierThenTheSmallerId() {
    final SchedulerFixture given =
        fixture()
            .byPriority()
            .waiting(request("late", text(0, 1)).priority(1))
            .waiting(request("later", text(1, 1)).priority(1))
            .waiting(request("urgent", text(2, 1)).priority(0));

    given.step();

    assertThat(given.plan()).schedulesOnly("urgent", "late", "later");
  }

  @Test
  void shouldNotDisplaceARunningRequestForAMoreImportantWaitingOne() {
    final SchedulerFixture given =
        fixture()
            .maxNumSeqs(1)
            .byPriority()
            .running(request("slow", text(0, 1)).priority(9))
            .waiting(request("urgent", text(1, 1)).priority(0));

    given.step();

    assertThat(given.plan()).schedulesOnly("slow").preempts();
  }

  @Test
  void shouldCapWhatOneRequestGetsInAStep() {
    final SchedulerFixture given =
        fixture().longPrefillTokenThreshold(5).waiting("a", 12).waiting("b", 3);

    given.step();
    assertThat(given.plan()).schedules("a", 5).schedules("b", 3);

    given.step();
    assertThat(given.plan()).schedules("a", 5).schedules("b", 1);
  }

  @Test
  void shouldLetTheCapChunkPromptsEvenWithChunkedPrefillOff() {
    final SchedulerFixture given =
        fixture()
            .maxNumSeqs(4)
            .maxNumBatchedTokens(8)
            .withoutChunkedPrefill()
            .longPrefillTokenThreshold(5)
            .waiting("a", 12)
            .waiting("b", 4);

    given.step();

    assertThat(given.plan()).as("4 do not fit into the 3 that are left").schedulesOnly("a");
    assertThat(given.plan()).schedules("a", 5);
  }

  @Test
  void shouldPreemptTheYoungestWhenBlocksRunOut() {
    final SchedulerFixture given =
        fixture().blocks(5).waiting("old", 4).waiting("middle", 4).waiting("young", 8).step();

    given.step();

    assertThat(given.plan()).schedulesOnly("old", "middle").preempts("young");
  }

  @Test
  void shouldPutPreemptedRequestsBackInFrontInTheirOrder() {
    final SchedulerFixture given =
        fixture().blocks(4).maxNumSeqs(4).waiting("a", 8).waiting("b", 4).waiting("c", 4).step();
    given.waiting("d", 1).step();

    assertThat(given.plan()).schedulesOnly("a").preempts("c", "b");
    assertThat(given.waitingIds()).containsExactly("b", "c", "d");
  }

  @Test
  void shouldAdmitNobodyInAStepThatPreempts() {
    final SchedulerFixture given =
        fixture().blocks(5).waiting("a", 4).waiting("b", 12).waiting("tiny", 1).step();
    given.finish("tiny", FinishReason.ABORTED);
    given.waiting("tiny2", 1);

    given.steps(1);

    assertThat(given.plan()).schedulesOnly("a").preempts("b");
    assertThat(given.waitingIds()).containsExactly("b", "tiny2");
  }

  @Test
  void shouldComputeEverythingAgainAfterAPreemptionButGenerateNothingTwice() {
    final SchedulerFixture given =
        fixture().withoutCaching().answers("a", 11, 12, 13, 14).running("a", 4).step();

    given.reset(ResetScope.PREEMPT_RUNNING);
    given.step();

    assertThat(given.plan().entries().getFirst().kind()).isEqualTo(EntryKind.RESUMED);
    assertThat(given.plan()).schedules("a", 6).startsAt("a", 0).preempts("a");
    assertThat(given.outputs("a")).containsExactly(11, 12, 13);
  }

  @Test
  void shouldFindItsOwnBlocksAgainAfterAPreemption() {
    final SchedulerFixture given =
        fixture().blocks(5).waiting("old", 6).waiting("young", 11).step();
    given.steps(2); // young has filled its 3 blocks and needs a fourth
    assertThat(given.plan()).preempts("young");
    given.finish("old", FinishReason.ABORTED);

    given.step();

    assertThat(given.log().of("admitted")).endsWith("4: admitted young RESUMED cached=12 lost=0");
  }

  @Test
  void shouldSayWhatAPreemptionHasLost() {
    final SchedulerFixture given = fixture().blocks(4).waiting("old", 7).waiting("young", 7).step();
    given.steps(2);
    assertThat(given.plan()).preempts("young");
    given.steps(2);
    given.finish("old", FinishReason.ABORTED);

    given.step();

    assertThat(given.log().of("preempted", "admitted"))
        .endsWith(
            "3: preempted young KV_BLOCKS for old lost=8 freed=2 missing=1",
            "6: admitted young RESUMED cached=4 lost=4");
  }

  @Test
  void shouldPreemptTheLeastImportantAndTakeBackWhatItWasGiven() {
    final SchedulerFixture given =
        fixture()
            .blocks(4)
            .byPriority()
            .maxNumSeqs(3)
            .maxNumBatchedTokens(8)
            .running(request("worst", text(0, 5)).priority(9))
            .waiting(request("best", text(1, 7)).priority(0))
            .step(); // worst 1, best all 7: 2 blocks each

    given.steps(2); // best needs a third block after worst got its token

    assertThat(given.plan()).schedulesOnly("best").preempts("worst");
    assertThat(given.planOut().totalTokens()).isEqualTo(1);
    assertThat(given.runningIds()).containsExactly("best");
    assertThat(given.view("worst").computedTokens()).isZero();
  }

  @Test
  void shouldGiveTheTokensOfAWithdrawnVictimToThoseBehind() {
    final SchedulerFixture given =
        fixture()
            .blocks(7)
            .byPriority()
            .withoutGate()
            .maxNumSeqs(3)
            .maxNumBatchedTokens(6)
            .longPrefillTokenThreshold(4)
            .running(request("worst", text(0, 24)).priority(9))
            .running(request("needy", text(1, 2)).priority(0))
            .running(request("last", text(2, 12)).priority(1))
            .step();
    assertThat(given.plan()).schedules("worst", 4).schedules("needy", 1).schedules("last", 1);

    given.step(); // worst takes the last free block, then needy needs one

    assertThat(given.plan()).schedulesOnly("needy", "last").preempts("worst");
    assertThat(given.plan()).schedules("needy", 1).schedules("last", 4);
  }

  @Test
  void shouldPreemptTheEarlierInTheListAmongEqualsLikeVllm() {
    final SchedulerFixture given = threeEquals(fixture().likeVllm());

    given.step();

    assertThat(given.plan()).preempts("a");
  }

  @Test
  void shouldPreemptTheOneAdmittedLastAmongEqualsSoThatTheyDoNotTakeTurnsForEver() {
    final SchedulerFixture given = threeEquals(fixture());

    given.step();

    assertThat(given.plan()).preempts("c", "b");
  }

  private static SchedulerFixture threeEquals(SchedulerFixture options) {
    final SchedulerFixture given = options.blocks(3).byPriority();
    final long same = 7;
    for (String id : new String[] {"a", "b", "c"}) {
      given
          .driver()
          .scheduler()
          .add(request(id, text(id.charAt(0), 4)).build(), new Silent(), same);
    }
    return given.step();
  }

  @Test
  void shouldShareAPrefixWithinTheSameStep() {
    final int[] prompt = text(1, 9);
    final SchedulerFixture given =
        fixture().waiting(request("a", prompt)).waiting(request("b", prompt));

    given.step();

    assertThat(given.plan()).schedules("a", 9).schedules("b", 1).startsAt("b", 8);
    assertThat(given.plan()).hasBlocks("a", 1, 2, 3).hasBlocks("b", 1, 2, 4);
    assertThat(given.planOut().blocks().commonPrefix(0)).isEqualTo(2);
  }

  @Test
  void shouldEndARequestThatOutgrowsThePool() {
    final SchedulerFixture given = fixture().blocks(2).running("a", 7);

    given.steps(3);

    assertThat(given.ended("a")).isEqualTo(Ended.with(FinishReason.KV_CACHE_EXHAUSTED));
    assertThat(given.outputs("a")).as("a token for each position, and one more").hasSize(2);
    assertThat(given.driver().kv().freeBlocks()).isEqualTo(2);
  }

  @Test
  void shouldEndARequestThatOutgrowsThePoolWithItsDraftersSlotsBeforeAnotherIsPreemptedForIt() {
    final SchedulerFixture given =
        fixture()
            .blocks(4)
            .withoutGate()
            .longPrefillTokenThreshold(5)
            .settings(
                more -> more.speculation(SpeculationOptions.of(SpeculativeMethod.DRAFT_MODEL, 2)))
            .waiting("a", 15)
            .waiting("b", 1);

    given.steps(3); // the 15 tokens would fit, with 2 slots behind them they do not

    assertThat(given.ended("a")).isEqualTo(Ended.with(FinishReason.KV_CACHE_EXHAUSTED));
    assertThat(given.plan()).schedulesOnly("b").preempts().announcesFinished("a");
  }

  @Test
  void shouldGoOnWithOthersInTheStepThatEndsARequestThatOutgrewThePool() {
    final SchedulerFixture given = fixture().blocks(2).waiting("a", 7).waiting("b", 4).steps(3);

    assertThat(given.ended("a")).isEqualTo(Ended.with(FinishReason.KV_CACHE_EXHAUSTED));
    assertThat(given.plan()).schedulesOnly("b").announcesFinished("a");
  }

  @Test
  void shouldEndAWaitingRequestThatHasOutgrownThePool() {
    final SchedulerFixture given = fixture().blocks(2).waiting("a", 7).waiting("b", 4).steps(2);
    assertThat(given.view("a").knownTokens()).as("one more than fits").isEqualTo(9);

    given.reset(ResetScope.PREEMPT_RUNNING);
    given.step();

    assertThat(given.ended("a")).isEqualTo(Ended.with(FinishReason.KV_CACHE_EXHAUSTED));
    assertThat(given.plan()).schedulesOnly("b").announcesFinished("a");
  }

  @Test
  void shouldPreemptARequestThatOutgrowsThePoolOverAndOverLikeVllm() {
    final SchedulerFixture given = fixture().likeVllm().blocks(2).waiting("a", 7).waiting("b", 4);

    given.steps(20);

    assertThat(given.ended("a")).isNull();
    assertThat(given.waitingIds()).containsExactly("a", "b");
    assertThat(given.plan()).isEmpty();
  }

  @Test
  void shouldAnnounceAnEndOnceEvenInAnEmptyPlan() {
    final SchedulerFixture given =
        fixture().running(request("a", StopRule.maxTokens(1), text(0, 4)));
    assertThat(given.driver().scheduler().hasWork()).isTrue();

    given.step();
    assertThat(given.plan()).isEmpty().announcesFinished("a");
    assertThat(given.driver().scheduler().hasWork()).isFalse();

    given.step();
    assertThat(given.plan()).announcesFinished();
  }

  @Test
  void shouldLeaveNoGapInTheNumbersOfSteps() {
    final SchedulerFixture given = fixture();

    given.steps(3);

    assertThat(given.plan().stepId()).isEqualTo(3);
    assertThat(given.driver().scheduler().stats().steps()).isEqualTo(3);
  }

  @Test
  void shouldCountLookupsOfNewAndResumedRequestsApart() {
    final SchedulerFixture given = fixture().waiting(request("a", text(1, 9))).step();
    given.waiting(request("b", text(1, 9))).step();
    given.finish("a", FinishReason.ABORTED);

    final SchedulerStats stats = given.driver().scheduler().stats();
    assertThat(stats.prefixLookups()).isEqualTo(2);
    assertThat(stats.prefixQueriedTokens()).isEqualTo(18);
    assertThat(stats.prefixHitTokens()).isEqualTo(8);
    assertThat(stats.resumedLookups()).isZero();

    given.reset(ResetScope.PREEMPT_RUNNING);
    given.step();

    final SchedulerStats after = given.driver().scheduler().stats();
    assertThat(after.prefixLookups()).isEqualTo(2);
    assertThat(after.resumedLookups()).isEqualTo(1);
    assertThat(after.resumedQueriedTokens()).isEqualTo(10);
    assertThat(after.preemptions()).isEqualTo(1);
    assertThat(after.admissions()).isEqualTo(3);
    assertThat(after.finished()).isEqualTo(1);
  }

  /** Hears nothing. */
  private static final class Silent implements OutputListener {

    @Override
    public void onTokens(RequestView request, int count, long nowNs) {}

    @Override
    public void onFinished(
        RequestView request, FinishReason reason, long stopTokenId, Throwable cause, long nowNs) {}
  }
}
