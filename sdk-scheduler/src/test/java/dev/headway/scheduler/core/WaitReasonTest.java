package dev.headway.scheduler.core;

import static dev.headway.scheduler.testing.PlanAssert.assertThat;
import static dev.headway.scheduler.testing.SchedulerFixture.fixture;
import static dev.headway.scheduler.testing.SchedulerFixture.request;
import static dev.headway.scheduler.testing.SchedulerFixture.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.request.FinishReason;
import dev.headway.api.request.StopRule;
import dev.headway.api.schedule.ResetScope;
import dev.headway.scheduler.testing.SchedulerFixture;
import org.junit.jupiter.api.Test;

/** For each reason the smallest situation that has it, and what exactly the probe is told. */
class WaitReasonTest {

  @Test
  void shouldSayNothingOfARequestThatNoDecisionHasSeen() {
    final SchedulerFixture given = fixture().running("a", 4);

    given.waiting("b", 4);

    assertThat(given.log().waits()).isEmpty();
  }

  @Test
  void shouldSayNothingWhenEverybodyIsAdmitted() {
    final SchedulerFixture given = fixture().waiting("a", 4).waiting("b", 4);

    given.steps(3);

    assertThat(given.log().waits()).isEmpty();
  }

  @Test
  void shouldSayMaxNumSeqsWhenAllSeatsAreTaken() {
    final SchedulerFixture given = fixture().maxNumSeqs(1).running("a", 4).waiting("b", 4);

    given.step();

    assertThat(given.log().waits()).containsExactly("2: closed MAX_NUM_SEQS by -");
  }

  @Test
  void shouldSayMaxNumBatchedTokensWhenAdmissionsOfTheStepTookTheRest() {
    final SchedulerFixture given =
        fixture().maxNumSeqs(4).maxNumBatchedTokens(8).waiting("a", 8).waiting("b", 4);

    given.step();

    assertThat(given.log().waits()).containsExactly("1: closed MAX_NUM_BATCHED_TOKENS by -");
  }

  @Test
  void shouldSayDecodePriorityWhenDecodesAloneUseUpTheBudget() {
    final SchedulerFixture given =
        fixture().maxNumSeqs(2).maxNumBatchedTokens(2).waiting("a", 1).waiting("b", 1);
    given.step();
    given.finish("b", FinishReason.ABORTED);
    given.waiting("b2", 1).step();
    given.log().clear();
    given.waiting("c", 4);

    given.step();

    assertThat(given.log().waits())
        .as("seats are looked at only while there is budget")
        .containsExactly("3: closed DECODE_PRIORITY by -");
  }

  @Test
  void shouldSayChunkedPrefillWhenAPromptChunkUsesUpTheBudget() {
    final SchedulerFixture given =
        fixture().maxNumSeqs(4).maxNumBatchedTokens(4).running("a", 10).waiting("b", 4);

    given.step();

    assertThat(given.log().waits()).containsExactly("2: closed CHUNKED_PREFILL by -");
  }

  @Test
  void shouldSayChunkedPrefillDisabledWithTheTokensThatAreMissing() {
    final SchedulerFixture given =
        fixture()
            .maxNumSeqs(4)
            .maxNumBatchedTokens(16)
            .maxModelLen(16)
            .withoutChunkedPrefill()
            .waiting("a", 10)
            .waiting("b", 8);

    given.step();

    assertThat(given.log().waits())
        .containsExactly(
            "1: blocked b CHUNKED_PREFILL_DISABLED by - needed=8 free=6",
            "1: closed HEAD_OF_LINE by b");
  }

  @Test
  void shouldSayMemoryInsufficientWithTheBlocksThatAreMissing() {
    final SchedulerFixture given =
        fixture().blocks(4).withoutGate().running("a", 9).waiting("b", 8);

    given.step();

    assertThat(given.log().waits())
        .containsExactly(
            "2: blocked b MEMORY_INSUFFICIENT by - needed=2 free=1", "2: closed HEAD_OF_LINE by b");
  }

  @Test
  void shouldSayFullSequenceReserveWhenOnlyTheNextChunkWouldFit() {
    final SchedulerFixture given =
        fixture()
            .blocks(4)
            .maxNumSeqs(4)
            .maxNumBatchedTokens(9)
            .running("a", 8) // 2 blocks, the third is taken in the next step
            .waiting("b", 12);

    given.step();

    assertThat(given.log().waits())
        .containsExactly(
            "2: blocked b FULL_SEQUENCE_RESERVE by - needed=3 free=1",
            "2: closed HEAD_OF_LINE by b");
  }

  @Test
  void shouldSayWatermarkWhenTheBlocksAreThereButNotTheReserve() {
    final SchedulerFixture given =
        fixture().blocks(4).watermarkBlocks(1).withoutGate().running("a", 5).waiting("b", 5);

    given.step();

    assertThat(given.log().waits())
        .containsExactly(
            "2: blocked b WATERMARK by - needed=3 free=2", "2: closed HEAD_OF_LINE by b");
  }

  @Test
  void shouldIgnoreTheWatermarkWhileNothingRuns() {
    final SchedulerFixture given = fixture().blocks(4).watermarkBlocks(3).waiting("a", 16);

    given.step();

    assertThat(given.plan()).schedules("a", 16);
    assertThat(given.log().waits()).isEmpty();
  }

  @Test
  void shouldSayHeadOfLineForAllBehindTheHead() {
    final SchedulerFixture given =
        fixture().blocks(4).running("a", 9).waiting("b", 8).waiting("c", 1).waiting("d", 1);

    given.step();

    assertThat(given.log().waits())
        .containsExactly(
            "2: blocked b FULL_SEQUENCE_RESERVE by - needed=2 free=1",
            "2: closed HEAD_OF_LINE by b");
  }

  @Test
  void shouldNameTheNewHeadWhenTheOldOneIsGone() {
    final SchedulerFixture given =
        fixture().blocks(4).running("a", 9).waiting("b", 8).waiting("c", 8).waiting("d", 1);
    given.step();
    given.log().clear();
    given.finish("b", FinishReason.ABORTED);

    given.step();

    assertThat(given.log().waits())
        .containsExactly(
            "3: blocked c FULL_SEQUENCE_RESERVE by - needed=2 free=1",
            "3: closed HEAD_OF_LINE by c");
  }

  @Test
  void shouldSayPreemptedForWhomAndCloseAdmissions() {
    final SchedulerFixture given =
        fixture().blocks(2).waiting("old", 4).waiting("young", 4).waiting("c", 1).step();
    given.log().clear();

    given.step();

    assertThat(given.log().of("preempted", "blocked", "unblocked", "closed"))
        .containsExactly(
            "2: preempted young KV_BLOCKS for old lost=4 freed=1 missing=1",
            "2: blocked young PREEMPTED by old needed=1 free=0",
            "2: closed PREEMPTION_IN_STEP by -",
            "2: unblocked c");
  }

  @Test
  void shouldSayPreemptedByItselfWhenTheYoungestNeedsBlocks() {
    final SchedulerFixture given = fixture().blocks(3).waiting("old", 6).waiting("young", 4).step();
    given.log().clear();

    given.step();

    assertThat(given.log().of("preempted", "blocked"))
        .containsExactly(
            "2: preempted young KV_BLOCKS for young lost=4 freed=1 missing=1",
            "2: blocked young PREEMPTED by young needed=1 free=0");
    assertThat(given.runningIds()).containsExactly("old");
  }

  @Test
  void shouldNotChangeTheOwnReasonOfAVictimBeforeItIsExaminedAgain() {
    final SchedulerFixture given =
        fixture()
            .blocks(3)
            .byPriority()
            .waiting(request("worst", text(0, 4)).priority(9))
            .waiting(request("behind", text(1, 7)).priority(9))
            .step();
    given.log().clear();

    given.steps(2);

    assertThat(given.log().of("preempted", "blocked", "unblocked", "closed"))
        .containsExactly(
            "2: preempted behind KV_BLOCKS for worst lost=7 freed=2 missing=1",
            "2: blocked behind PREEMPTED by worst needed=1 free=0",
            "2: closed PREEMPTION_IN_STEP by -",
            "3: blocked behind FULL_SEQUENCE_RESERVE by - needed=2 free=1",
            "3: closed HEAD_OF_LINE by behind");
  }

  @Test
  void shouldSayPreemptionInStepToARunningRequestBehindOneThatGaveItselfUp() {
    final SchedulerFixture given =
        fixture()
            .blocks(3)
            .byPriority()
            .running(request("worst", text(0, 6)).priority(9))
            .waiting(request("behind", text(1, 1)).priority(1))
            .steps(2);
    given.log().clear();

    given.steps(2); // worst needs a third block, and is itself the least important

    assertThat(given.log().of("preempted", "blocked", "unblocked", "closed"))
        .containsExactly(
            "4: preempted worst KV_BLOCKS for worst lost=8 freed=2 missing=1",
            "4: blocked worst PREEMPTED by worst needed=1 free=0",
            "4: blocked behind PREEMPTION_IN_STEP by - needed=1 free=0",
            "4: closed PREEMPTION_IN_STEP by -",
            "5: blocked worst FULL_SEQUENCE_RESERVE by - needed=3 free=2",
            "5: closed HEAD_OF_LINE by worst",
            "5: unblocked behind");
  }

  @Test
  void shouldEndTheReasonOfARequestWithItsAdmission() {
    final SchedulerFixture given = fixture().blocks(4).running("a", 9).waiting("b", 8).step();
    given.finish("a", FinishReason.ABORTED);
    given.log().clear();

    given.step();

    assertThat(given.log().of("admitted")).containsExactly("3: admitted b NEW cached=0 lost=0");
    assertThat(given.log().waits()).as("an admission is not an unblocking").isEmpty();
  }

  @Test
  void shouldSayContextLengthLimitWhenMinTokensKeepARequestAtTheEndOfItsContext() {
    final StopRule endless = StopRule.maxTokens(50).withMinTokens(50);
    final SchedulerFixture given =
        fixture().maxModelLen(8).waiting(request("a", endless, text(1, 5))).steps(3);
    assertThat(given.view("a").knownTokens()).isEqualTo(8);
    assertThat(given.log().waits()).isEmpty();

    given.steps(3);

    assertThat(given.log().waits())
        .containsExactly("4: blocked a CONTEXT_LENGTH_LIMIT by - needed=8 free=7");
    assertThat(given.plan()).isEmpty();
  }

  @Test
  void shouldSayEvictedAfterAResetWithRunningRequests() {
    final SchedulerFixture given = fixture().blocks(4).running("a", 5);

    given.reset(ResetScope.PREEMPT_RUNNING);

    assertThat(given.log().of("reset", "preempted", "blocked", "cleared"))
        .containsExactly(
            "reset PREEMPT_RUNNING",
            "1: preempted a CACHE_RESET for - lost=5 freed=2 missing=0",
            "1: blocked a EVICTED by - needed=0 free=2",
            "cleared");
  }

  @Test
  void shouldTellOnlyChanges() {
    final SchedulerFixture given = fixture().blocks(4).running("a", 9).waiting("b", 8);
    given.step();
    given.log().clear();

    given.steps(2);

    assertThat(given.log().waits()).isEmpty();
  }

  @Test
  void shouldUnblockARequestOnceAnotherStandsInFrontOfIt() {
    final SchedulerFixture given =
        fixture().blocks(4).byPriority().waiting(request("a", text(0, 9)).priority(5)).step();
    given.waiting(request("b", text(1, 8)).priority(5)).step();
    given.waiting(request("urgent", text(2, 7)).priority(1));
    given.log().clear();

    given.step();

    assertThat(given.log().waits())
        .containsExactly(
            "3: blocked urgent FULL_SEQUENCE_RESERVE by - needed=2 free=1",
            "3: closed HEAD_OF_LINE by urgent",
            "3: unblocked b");
  }
}
