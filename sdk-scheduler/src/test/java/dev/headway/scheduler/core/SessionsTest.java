package dev.headway.scheduler.core;

import static dev.headway.scheduler.testing.PlanAssert.assertThat;
import static dev.headway.scheduler.testing.SchedulerFixture.fixture;
import static dev.headway.scheduler.testing.SchedulerFixture.request;
import static dev.headway.scheduler.testing.SchedulerFixture.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.config.PipelineOptions;
import dev.headway.api.config.SpeculationOptions;
import dev.headway.api.config.SpeculativeMethod;
import dev.headway.api.kvcache.KvGroup;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.Request;
import dev.headway.api.request.RequestStatus;
import dev.headway.api.request.RequestView;
import dev.headway.api.request.SessionInput;
import dev.headway.api.request.StopRule;
import dev.headway.api.schedule.BlockFence;
import dev.headway.api.schedule.ResetScope;
import dev.headway.api.step.StepPlan;
import dev.headway.scheduler.testing.SchedulerFixture;
import dev.headway.testkit.TextGrammar;
import org.junit.jupiter.api.Test;

/** Requests that go on with further input. */
class SessionsTest {

  private static final StopRule THREE = StopRule.maxTokens(3);

  private static Request.Builder session(String id, int number, int promptTokens) {
    return request(id, THREE, text(number, promptTokens)).resumable();
  }

  /** A session of 8 prompt tokens whose first turn, of 3 outputs, is over. */
  private static SchedulerFixture idle(SchedulerFixture given) {
    return given.waiting(session("s", 50, 8)).answers("s", 1, 2, 3).steps(3);
  }

  private static int[] history(RequestView request) {
    final int[] tokens = new int[request.knownTokens()];
    request.copyTokenIds(0, tokens, 0, tokens.length);
    return tokens;
  }

  @Test
  void shouldKeepItsBlocksAndWaitWhereAnotherRequestEnds() {
    final SchedulerFixture given = idle(fixture());

    given.schedule();

    assertThat(given.plan()).isEmpty();
    assertThat(given.turns("s")).containsExactly(FinishReason.LENGTH);
    assertThat(given.ended("s")).isNull();
    assertThat(given.view("s").kvBlocks()).isEqualTo(3);
    assertThat(given.driver().scheduler().hasWork()).isFalse();
    assertThat(given.driver().scheduler().inspect().unfinishedCount()).isZero();
    assertThat(given.log().lines()).contains("3: blocked s STREAMING_INPUT by - needed=0 free=0");
  }

  @Test
  void shouldGoOnBehindWhatIsComputed() {
    final SchedulerFixture given = idle(fixture()).append("s", THREE, 70, 71, 72);

    given.schedule();

    assertThat(given.plan()).startsAt("s", 10).schedules("s", 3); // the last output never was
    assertThat(history(given.view("s")))
        .containsExactly(51000, 51001, 51002, 51003, 51004, 51005, 51006, 51007, 1, 2, 70, 71, 72);
    assertThat(given.view("s").outputTokens()).isZero();
  }

  @Test
  void shouldTakeInputsThatComeWhileItRunsOneAfterTheOther() {
    final SchedulerFixture given = fixture().waiting(session("s", 50, 8)).step();
    given.append("s", StopRule.maxTokens(1), 70).append("s", StopRule.maxTokens(1), 71);

    given.steps(4); // 2 more of the first turn, and one each of the others
    given.endInput("s");

    assertThat(given.turns("s"))
        .containsExactly(FinishReason.LENGTH, FinishReason.LENGTH, FinishReason.LENGTH);
    assertThat(given.outputs("s")).hasSize(5);
    assertThat(given.ended("s").reason()).isEqualTo(FinishReason.LENGTH);
    assertThat(given.driver().kv().freeBlocks()).isEqualTo(1_000);
  }

  @Test
  void shouldEndWithTheTurnOfItsLastInput() {
    final SchedulerFixture given =
        fixture().waiting(session("s", 50, 8)).append("s", StopRule.maxTokens(1), 70).endInput("s");
    given.append("s", THREE, 71); // too late

    given.steps(4);

    assertThat(given.turns("s")).containsExactly(FinishReason.LENGTH);
    assertThat(given.outputs("s")).hasSize(4);
    assertThat(given.ended("s").reason()).isEqualTo(FinishReason.LENGTH);
  }

  @Test
  void shouldGiveEachTurnItsOwnMostTokens() {
    final SchedulerFixture given = idle(fixture()).append("s", StopRule.maxTokens(7), 70).steps(7);

    assertThat(given.outputs("s")).hasSize(10);
    assertThat(given.turns("s")).hasSize(2);
  }

  @Test
  void shouldGiveEachTurnTheMostTokensOfTheFirstLikeVllm() {
    final SchedulerFixture given =
        idle(fixture().likeVllm()).append("s", StopRule.maxTokens(7), 70).steps(7);

    assertThat(given.outputs("s")).hasSize(6);
    assertThat(given.turns("s")).hasSize(2);
  }

  @Test
  void shouldBringTheBlocksOfAnIdleSessionToARequestThatLacksThem() {
    final SchedulerFixture given = idle(fixture().blocks(8)).waiting("a", 28);

    given.schedule();

    assertThat(given.plan()).schedulesOnly("a").preempts("s");
    assertThat(given.view("s").kvBlocks()).isZero();
    assertThat(given.log().lines())
        .containsSubsequence(
            "4: preempted s SESSION for a lost=10 freed=3 missing=0",
            "4: blocked s STREAMING_INPUT by - needed=0 free=0");
  }

  @Test
  void shouldComputeASessionAgainThatGaveItsBlocks() {
    final SchedulerFixture given = idle(fixture().blocks(8)).waiting("a", 28).step();
    given.finish("a", FinishReason.ABORTED);
    given.append("s", StopRule.maxTokens(2), 70, 71, 72);

    given.schedule();

    assertThat(given.plan()).schedulesOnly("s");
    assertThat(given.view("s").knownTokens()).isEqualTo(13);
    given.update().step();
    assertThat(given.turns("s")).hasSize(2);
  }

  @Test
  void shouldKeepTheBlocksOfAnIdleSessionLikeVllm() {
    final SchedulerFixture given = idle(fixture().blocks(8).likeVllm()).waiting("a", 28);

    given.schedule();

    assertThat(given.plan()).isEmpty();
    assertThat(given.view("s").kvBlocks()).isEqualTo(3);
  }

  @Test
  void shouldPreferIdleBlocksToPreemptingARequestThatRuns() {
    final SchedulerFixture given = idle(fixture().blocks(8).withoutGate());
    given.waiting("a", 20).step();

    given.schedule();

    assertThat(given.plan()).schedules("a", 1).preempts("s");
  }

  @Test
  void shouldGiveTheSeatOfAnIdleSessionToARequestThatLacksOne() {
    final SchedulerFixture given = idle(fixture().maxNumSeqs(1)).waiting("a", 4);

    given.schedule();

    assertThat(given.plan()).schedulesOnly("a").preempts("s");
  }

  @Test
  void shouldKeepTheSeatOfAnIdleSessionLikeVllm() {
    final SchedulerFixture given = idle(fixture().maxNumSeqs(1).likeVllm()).waiting("a", 4);

    given.schedule();

    assertThat(given.plan()).isEmpty();
    given.update().append("s", THREE, 70).schedule();
    assertThat(given.plan()).schedulesOnly("s");
  }

  @Test
  void shouldEndASessionWhoseInputDoesNotFitIntoTheContext() {
    final SchedulerFixture given = idle(fixture().maxModelLen(16));

    given.append("s", THREE, text(60, 6));

    assertThat(given.ended("s").reason()).isEqualTo(FinishReason.LENGTH);
    assertThat(given.driver().kv().freeBlocks()).isEqualTo(1_000);
    assertThat(given.driver().scheduler().waitingCount()).isZero();
  }

  @Test
  void shouldNotKeepDraftsBehindTheStop() {
    final SchedulerFixture given =
        fixture()
            .settings(
                settings ->
                    settings.speculation(SpeculationOptions.of(SpeculativeMethod.NGRAM, 2)));
    given.waiting(request("s", THREE.withStopTokenIds(2), text(50, 8)).resumable()).step();
    given.driver().scheduler().proposeDrafts(given.view("s"), new int[] {2, 3}, 2);
    given.schedule();
    given.update(
        (plan, output) -> {
          for (int token : new int[] {2, 3, 4}) {
            output.addToken(0, token);
          }
        }); // the first draft, accepted, stops it
    assertThat(given.turns("s")).hasSize(1);

    given.append("s", THREE, 70, 71, 72).schedule();

    assertThat(given.plan()).startsAt("s", 10).schedules("s", 3);
  }

  /** Recurrent states, in a cache of two of them: one to go on from and one to get to. */
  @Test
  void shouldComputeASessionAnewThatLacksABlockBesideAStateBehindRejectedDrafts() {
    final SchedulerFixture given =
        fixture()
            .blocks(2)
            .withoutGate()
            .groups(new KvGroup.Mamba(4, 0))
            .settings(
                settings ->
                    settings.speculation(SpeculationOptions.of(SpeculativeMethod.NGRAM, 2)));
    given.waiting(request("s", StopRule.maxTokens(2), text(50, 6)).resumable()).steps(2);
    given.driver().scheduler().proposeDrafts(given.view("s"), new int[] {8, 9}, 2);
    given.step(); // the drafts are rejected
    assertThat(given.turns("s")).containsExactly(FinishReason.LENGTH);
    assertThat(given.view("s").kvBlocks()).as("states behind 7 tokens, and 9").isEqualTo(3);

    given.append("s", StopRule.maxTokens(2), text(60, 12)).steps(2);
    assertThat(given.plan()).isEmpty().preempts("s");
    given.steps(9);

    assertThat(given.turns("s")).containsExactly(FinishReason.LENGTH, FinishReason.LENGTH);
  }

  @Test
  void shouldEndASessionThatOutgrowsThePoolInTheBlocksThatItHasKept() {
    final SchedulerFixture given = idle(fixture().blocks(4).withoutGate());

    given.append("s", StopRule.maxTokens(9), 70, 71, 72).steps(5);

    assertThat(given.ended("s").reason()).isEqualTo(FinishReason.KV_CACHE_EXHAUSTED);
    assertThat(given.view("s").preemptions()).isZero();
  }

  @Test
  void shouldEndAnIdleSessionFromOutside() {
    final SchedulerFixture given = idle(fixture());

    given.finish("s", FinishReason.ABORTED);
    given.append("s", THREE, 70).endInput("s"); // too late

    assertThat(given.ended("s").reason()).isEqualTo(FinishReason.ABORTED);
    assertThat(given.driver().kv().freeBlocks()).isEqualTo(1_000);
    assertThat(given.driver().scheduler().inspect().sessionsWaitingForInput()).isZero();
  }

  @Test
  void shouldResetTheCacheAlthoughASessionIsIdle() {
    final SchedulerFixture given = idle(fixture());

    assertThat(given.reset(ResetScope.IDLE_ONLY)).isFalse();
    assertThat(given.reset(ResetScope.PREEMPT_RUNNING)).isTrue();

    assertThat(given.view("s").status()).isEqualTo(RequestStatus.PREEMPTED);
    given.append("s", THREE, 70).schedule();
    assertThat(given.plan()).startsAt("s", 0).schedules("s", 11);
  }

  @Test
  void shouldPutItsNextTurnWhereTheInputsArrivalBelongs() {
    final SchedulerFixture given = idle(fixture().byPriority().maxNumSeqs(2));
    given.waiting("a", 4).waiting("b", 4).append("s", THREE, 70);

    given.schedule();

    assertThat(given.plan()).schedulesOnly("a", "b");
  }

  /**
   * A session whose turn is over while the step behind it is out, which computes its last token.
   */
  private static SchedulerFixture idleWithAStepOut() {
    final SchedulerFixture given =
        fixture().settings(settings -> settings.pipeline(PipelineOptions.ASYNC));
    given.waiting(
        request("s", THREE.withStopTokenIds(9), text(50, 8)).resumable()); // stops unforeseen
    final StepPlan first = given.schedule().planOut();
    given.schedule().driver().update(first, (plan, output) -> output.addToken(0, 9));
    assertThat(given.turns("s")).containsExactly(FinishReason.STOP);
    return given;
  }

  @Test
  void shouldDropResultsThatAreOutWhenATurnEnds() {
    final SchedulerFixture given = idleWithAStepOut();

    given.update().append("s", THREE, 70).schedule();

    assertThat(given.outputs("s")).containsExactly(9);
    assertThat(given.plan()).startsAt("s", 9).schedules("s", 1); // the step has computed the 9
  }

  @Test
  void shouldEndASessionWhoseKvAStepWithoutAResultHasFailedToCompute() {
    final SchedulerFixture entry = idleWithAStepOut();
    final SchedulerFixture step = idleWithAStepOut();
    final IllegalStateException broken = new IllegalStateException("broken");

    entry.update((plan, output) -> output.fail(0, broken));
    step.fail(broken, BlockFence.RELEASE);

    assertThat(entry.ended("s").reason()).isEqualTo(FinishReason.EXECUTOR_FAILED);
    assertThat(step.ended("s").reason()).isEqualTo(FinishReason.EXECUTOR_FAILED);
  }

  @Test
  void shouldEndASessionWhoseOutputItsGrammarRefuses() {
    final SchedulerFixture given = fixture();
    given.waiting(session("s", 50, 8).grammar(new TextGrammar(32, 3, 4, 5).compiled(), null));
    given.release("s", given.view("s").request().holds().getFirst());
    given.append("s", THREE, 70).answers("s", 3, 9).steps(2);

    assertThat(given.ended("s").reason()).isEqualTo(FinishReason.GRAMMAR_REFUSED);
    assertThat(given.turns("s")).isEmpty();
    assertThat(given.driver().kv().freeBlocks()).isEqualTo(1_000);
  }

  @Test
  void shouldRefuseInputForARequestThatIsNoSession() {
    final SchedulerFixture given = idle(fixture()).waiting("a", 4);
    final SessionInput input = SessionInput.of(THREE, 70);

    assertThatThrownBy(() -> given.driver().scheduler().append(given.view("a"), input, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("only a session gets further input: id=a; build it resumable()");
  }
}
